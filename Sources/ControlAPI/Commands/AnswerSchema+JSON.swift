import TextCoding

extension AnswerSchema {
  /// The shape as JSON Schema. An answer may get more members later, so it forbids none.
  package var json: String { json(named: [:]) }

  /// The same, with a reference in place of each object that `components` names.
  ///
  /// `names`: the name of an object by its JSON Schema, as `json` gives it.
  package func json(named names: [String: String]) -> String {
    if case .members = unlimited, !names.isEmpty, let name = names[json] {
      return ##"{"$ref":"#/components/schemas/\##(name)"}"##
    }
    return definition(named: names)
  }

  /// The same for `components` itself: only its inner objects become references.
  package func definition(named names: [String: String]) -> String {
    switch self {
    case .text: #"{"type":"string"}"#
    case .instant: #"{"type":"string","format":"date-time"}"#
    case .integer: #"{"type":"integer","format":"int64"}"#
    case .number: #"{"type":"number"}"#
    case .boolean: #"{"type":"boolean"}"#
    case .choice(let texts): #"{"type":"string","enum":\#(JSONText.array(texts.map(JSONText.quoted)))}"#
    case .array(let element): #"{"type":"array","items":\#(element.json(named: names))}"#
    case .members(let members): Self.object(members, names)
    case .nullable(let schema): #"{"anyOf":[\#(schema.json(named: names)),{"type":"null"}]}"#
    case .limited(let schema, let limits): Self.json(schema.definition(named: names), limits)
    case .anyOf(let schemas): #"{"anyOf":\#(JSONText.array(schemas.map { $0.json(named: names) }))}"#
    case .anything: "{}"
    }
  }

  /// `definition`: an object that has members already.
  private static func json(_ definition: String, _ limits: Limits) -> String {
    "\(definition.dropLast()),\(JSONText.object(limits.keywords).dropFirst())"
  }

  private static func object(_ members: [Member], _ names: [String: String]) -> String {
    JSONText.object([
      ("type", JSONText.quoted("object")),
      ("properties", JSONText.object(members.map { ($0.name, $0.schema.json(named: names)) })),
      ("required", JSONText.array(members.filter(\.isRequired).map { JSONText.quoted($0.name) })),
    ])
  }
}
