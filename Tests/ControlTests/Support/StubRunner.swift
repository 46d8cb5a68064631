import Operations
import ControlAPI
import Synchronization

/// A runner with prepared answers that records its requests.
final class StubRunner: CommandRunner {
  typealias Answer = @Sendable (CommandCall) async throws -> String

  /// All that are described.
  let commands = CommandDescription.all.map { description in
    Command(description, .local { _ in preconditionFailure("the stub answers for itself") })
  }
  private let answers: Mutex<[String: Answer]>
  private let asked = Mutex<[(command: String, call: CommandCall)]>([])

  init(_ answers: [String: Answer] = [:]) {
    self.answers = Mutex(answers)
  }

  var calls: [(command: String, call: CommandCall)] { asked.withLock { $0 } }

  /// Without an answer of its own, a command says its name.
  func run(_ command: Command, _ call: CommandCall) async throws -> String {
    asked.withLock { $0.append((command.name, call)) }
    if let answer = answers.withLock({ $0[command.name] }) { return try await answer(call) }
    return #"{"command":"\#(command.name)"}"#
  }
}
