package import ControlAPI
package import TextCoding

/// Holds answers against their schema, strictly: a member that is not described is wrong, as one that lacks is.
package struct AnswerCheck {
  /// Where in a schema a value stands. Objects of one shape have the same places in all answers.
  package struct Place: Hashable {
    /// For people: `failures[].error`.
    package let text: String
    /// The object's shape, and the member.
    private let shape: String

    package init(_ name: String) {
      text = name
      shape = name
    }

    private init(text: String, shape: String) {
      self.text = text
      self.shape = shape
    }

    package var element: Place { Place(text: text + "[]", shape: shape + "[]") }
    /// The same place where it holds null, or where its member lacks.
    package var without: Place { Place(text: text + " without a value", shape: shape + "?") }

    package func member(_ name: String, of members: [AnswerSchema.Member]) -> Place {
      Place(text: "\(text).\(name)", shape: "\(members).\(name)")
    }

    package static func == (left: Place, right: Place) -> Bool { left.shape == right.shape }

    package func hash(into hasher: inout Hasher) { hasher.combine(shape) }
  }

  /// Where an answer differs from its schema.
  package private(set) var problems: [String] = []
  /// Where some answer had a value, or, where that is allowed, had none.
  package private(set) var met: Set<Place> = []
  /// Whether instants may have whole seconds instead of milliseconds.
  private let allowsSeconds: Bool

  package init(allowsSeconds: Bool = false) {
    self.allowsSeconds = allowsSeconds
  }

  package mutating func check(_ value: JSONValue, _ schema: AnswerSchema, at place: Place) {
    switch (schema, value) {
    case (.limited(let inner, _), _): check(value, inner, at: place)
    case (.nullable, .null): met.insert(place.without)
    case (.nullable(let inner), _): check(value, inner, at: place)
    case (.array(let element), .array(let values)): for value in values { check(value, element, at: place.element) }
    case (.members(let members), .object): check(value.members, members, at: place)
    case (.anyOf(let schemas), _): check(value, anyOf: schemas, at: place)
    case _ where fits(value, schema): met.insert(place)
    default: problems.append("\(place.text) is \(value), not \(schema)")
    }
  }

  private mutating func check(_ object: [String: JSONValue], _ members: [AnswerSchema.Member], at place: Place) {
    for name in object.keys where !members.contains(where: { $0.name == name }) {
      problems.append("\(place.text).\(name) is not described")
    }
    for member in members {
      let inner = place.member(member.name, of: members)
      if let value = object[member.name] {
        check(value, member.schema, at: inner)
      } else if member.isRequired {
        problems.append("\(inner.text) lacks")
      } else {
        met.insert(inner.without)
      }
    }
  }

  private mutating func check(_ value: JSONValue, anyOf schemas: [AnswerSchema], at place: Place) {
    for schema in schemas {
      var trial = AnswerCheck(allowsSeconds: allowsSeconds)
      trial.check(value, schema, at: place)
      if trial.problems.isEmpty {
        met.formUnion(trial.met)
        return
      }
    }
    problems.append("\(place.text) is \(value), and none of \(schemas)")
  }

  private func fits(_ value: JSONValue, _ schema: AnswerSchema) -> Bool {
    switch (schema, value) {
    case (.anything, _), (.text, .text), (.integer, .integer), (.number, .integer), (.number, .number),
      (.boolean, .boolean):
      true
    case (.instant, .text(let text)):
      text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/).map { $0.1 != nil || allowsSeconds } ?? false
    case (.choice(let texts), .text(let text)): texts.contains(text)
    default: false
    }
  }

  /// Every place of a schema at which an answer can have a value, or none.
  package static func places(_ schema: AnswerSchema, at place: Place) -> [Place] {
    switch schema {
    case .limited(let inner, _): places(inner, at: place)
    case .nullable(let inner): places(inner, at: place) + [place.without]
    case .array(let element): places(element, at: place.element)
    case .members(let members):
      members.flatMap { member in
        let inner = place.member(member.name, of: members)
        return places(member.schema, at: inner) + (member.isRequired ? [] : [inner.without])
      }
    case .anyOf(let schemas): schemas.flatMap { places($0, at: place) }
    default: [place]
    }
  }
}
