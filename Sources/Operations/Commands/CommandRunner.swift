/// Executes commands: the control server calls it once the caller and the request are known.
package protocol CommandRunner: Sendable {
  /// All commands, in the order in which they are listed.
  var commands: [Command] { get }

  /// Executes one; returns the answer as JSON text. Throws `CommandError`.
  func run(_ command: Command, _ call: CommandCall) async throws -> String
}
