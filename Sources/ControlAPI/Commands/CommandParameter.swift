/// A parameter of a command: it is in the path as `{name}`, in the query of a GET, or in the JSON body of a POST.
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
  /// Whether settlectl accepts the value without the name, as for a parameter in the path.
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

  /// The operator's reason.
  static let reason = required("reason", .text, "The reason, recorded in the audit log.")
  /// The same, but optional.
  static let anyReason = optional("reason", .text, "The reason, recorded in the audit log.")
  /// The start of a page of a list.
  static let cursor = optional("after", .text, "Only rows after this cursor: the next value from the previous page.")

  /// The span of time that an answer covers.
  static func range(daysMax: Int) -> [CommandParameter] {
    [
      .required("from", .text, "Start of the range, inclusive (ISO 8601).", value: "instant"),
      .required("to", .text, "End of the range, exclusive; at most \(daysMax) days after the start.", value: "instant"),
    ]
  }
}
