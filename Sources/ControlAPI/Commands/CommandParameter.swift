/// A parameter of a command: it stands in the path as `{name}`, in the query of a GET, or in the JSON body of a POST.
package struct CommandParameter: Sendable {
  package enum Kind: String, Sendable {
    case text, integer, boolean
  }

  package let name: String
  package let kind: Kind
  package let isRequired: Bool
  package let meaning: String

  package static func required(_ name: String, _ kind: Kind, _ meaning: String) -> CommandParameter {
    CommandParameter(name: name, kind: kind, isRequired: true, meaning: meaning)
  }

  package static func optional(_ name: String, _ kind: Kind, _ meaning: String) -> CommandParameter {
    CommandParameter(name: name, kind: kind, isRequired: false, meaning: meaning)
  }

  /// Why an operator does something.
  static let reason = required("reason", .text, "Why; it is kept in the audit.")
  /// The same, where it may be left out.
  static let anyReason = optional("reason", .text, "Why; it is kept in the audit.")
}
