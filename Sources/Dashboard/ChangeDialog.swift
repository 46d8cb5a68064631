package import ControlAPI
package import Markup

/// A button with the dialog that runs a command: before and after, the reason, and the command line that does the same.
///
/// page.js makes a request id, and keeps it until an answer is known, so that pressing again has one effect. It shows
/// the daemon's own refusal in the dialog.
package struct ChangeDialog: Sendable {
  package let command: CommandDescription
  /// The arguments that stand; the operator writes only the reason, and what `fields` ask for.
  package let arguments: [(name: String, value: ParameterValue)]
  /// Unique on the screen: letters, digits and hyphens.
  package let id: String
  /// `Approve`.
  package let label: String
  /// The key that moves the focus to the button.
  package var key: Character?
  /// `good`, `warn`, `bad` or `accent`.
  package var tone = "accent"
  /// Parameters that the operator writes himself.
  package var fields: [String] = []
  /// The values of those that have a few.
  package var choices: [String: [String]] = [:]
  package var before = HTML()
  package var after = HTML()

  package init(
    _ command: CommandDescription, _ arguments: KeyValuePairs<String, ParameterValue>, id: String, label: String
  ) {
    for (name, _) in arguments { precondition(command.parameter(name) != nil, "\(command.name) takes no \(name)") }
    self.command = command
    self.arguments = arguments.map { (name: $0.key, value: $0.value) }
    self.id = id
    self.label = label
  }
}
