/// Carries out commands: what the control server calls once it knows who asks and what.
package protocol CommandRunner: Sendable {
  /// All commands, in the order in which they are listed.
  var commands: [Command] { get }

  /// Carries out one; returns the answer as JSON text. Throws `CommandError`.
  func run(_ command: Command, _ call: CommandCall) async throws -> String
}
