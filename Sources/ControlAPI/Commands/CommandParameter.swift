/// A parameter of a command: it stands in the path as `{name}`, in the query of a GET, or in the JSON body of a POST.
package struct CommandParameter: Sendable {
  package enum Kind: String, Sendable {
    case text, integer, boolean
  }

  package let name: String
  package let kind: Kind
  package let isRequired: Bool
  package let meaning: String
  /// The word for its value in settlectl's help; nil: its name.
  package let valueName: String?
  /// Whether settlectl takes the value without the name, as it does where the path has it.
  package let isArgument: Bool

  package static func required(
    _ name: String, _ kind: Kind, _ meaning: String, value: String? = nil, isArgument: Bool = false
  ) -> CommandParameter {
    CommandParameter(
      name: name, kind: kind, isRequired: true, meaning: meaning, valueName: value, isArgument: isArgument)
  }

  package static func optional(
    _ name: String, _ kind: Kind, _ meaning: String, value: String? = nil, isArgument: Bool = false
  ) -> CommandParameter {
    CommandParameter(
      name: name, kind: kind, isRequired: false, meaning: meaning, valueName: value, isArgument: isArgument)
  }

  /// Why an operator does something.
  static let reason = required("reason", .text, "The reason; it is kept in the audit.")
  /// The same, where it may be left out.
  static let anyReason = optional("reason", .text, "The reason; it is kept in the audit.")
  /// Where a page of a list begins.
  static let cursor = optional("after", .text, "Only rows after this cursor: next of the previous page.")

  /// The span of time that an answer is about.
  static func range(daysMax: Int) -> [CommandParameter] {
    [
      .required("from", .text, "From this instant on (ISO 8601).", value: "instant"),
      .required("to", .text, "Before this instant, at most \(daysMax) days after the first.", value: "instant"),
    ]
  }
}
