/// The shape of an answer or a body, in the subset of JSON Schema that the answers need.
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
  /// Any JSON: the audit's states before and after a command.
  case anything

  /// A member of an object.
  package struct Member: Sendable {
    package let name: String
    package let schema: AnswerSchema
    /// Whether it is always present, even if null.
    package let isRequired: Bool

    package init(name: String, schema: AnswerSchema, isRequired: Bool) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
    }
  }

  /// An object: the members that are always present, then the optional ones.
  package static func object(
    _ always: KeyValuePairs<String, AnswerSchema>, optional: KeyValuePairs<String, AnswerSchema> = [:]
  ) -> AnswerSchema {
    .members(
      always.map { Member(name: $0, schema: $1, isRequired: true) }
        + optional.map { Member(name: $0, schema: $1, isRequired: false) })
  }

  /// A page of a list: `next` is the cursor of the following page, null at the end.
  package static func page(_ row: AnswerSchema) -> AnswerSchema {
    .object(["rows": .array(row), "next": .nullable(.text)])
  }

  /// The same without its limits.
  package var unlimited: AnswerSchema {
    if case .limited(let schema, _) = self { schema } else { self }
  }

  /// The object with one more member.
  package func with(_ name: String, _ schema: AnswerSchema) -> AnswerSchema {
    guard case .members(let members) = self else { preconditionFailure("only an object has members") }
    return .members(members + [Member(name: name, schema: schema, isRequired: true)])
  }
}
