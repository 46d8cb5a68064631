/// The shape of an answer or a body, in the few words of JSON Schema that ours need.
package indirect enum AnswerSchema: Sendable {
  case text
  /// ISO 8601 in UTC, with Z.
  case instant
  case integer
  case number
  case boolean
  /// One of these texts.
  case choice([String])
  case array(AnswerSchema)
  case members([Member])
  case nullable(AnswerSchema)
  case anyOf([AnswerSchema])
  /// A value with limits, or with words for people.
  case limited(AnswerSchema, Limits)
  /// Any JSON: what other commands leave in the audit.
  case anything

  /// A member of an object.
  package struct Member: Sendable {
    package let name: String
    package let schema: AnswerSchema
    /// Whether it is always there, be it null.
    package let isRequired: Bool

    package init(name: String, schema: AnswerSchema, isRequired: Bool) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
    }
  }

  /// An object: the members that are always there, then those that may lack.
  package static func object(
    _ always: KeyValuePairs<String, AnswerSchema>, optional: KeyValuePairs<String, AnswerSchema> = [:]
  ) -> AnswerSchema {
    .members(
      always.map { Member(name: $0, schema: $1, isRequired: true) }
        + optional.map { Member(name: $0, schema: $1, isRequired: false) })
  }

  /// A page of a list: `next` is the cursor of the page behind it, null at the end.
  package static func page(_ row: AnswerSchema) -> AnswerSchema {
    .object(["rows": .array(row), "next": .nullable(.text)])
  }

  /// The same without its limits.
  package var unlimited: AnswerSchema {
    if case .limited(let schema, _) = self { schema } else { self }
  }

  /// The object with one member more.
  package func with(_ name: String, _ schema: AnswerSchema) -> AnswerSchema {
    guard case .members(let members) = self else { preconditionFailure("only an object has members") }
    return .members(members + [Member(name: name, schema: schema, isRequired: true)])
  }
}
