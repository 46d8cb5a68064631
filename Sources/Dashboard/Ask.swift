package import ControlAPI

/// What a part asks of the daemon: a command that reads, and its arguments.
package struct Ask: Hashable, Sendable {
  /// `race.list`, as `CommandDescription` names it.
  package var command: String
  package var arguments: [String: ParameterValue]

  package init(_ command: String, _ arguments: [String: ParameterValue] = [:]) {
    self.command = command
    self.arguments = arguments
  }
}
