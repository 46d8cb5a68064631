package import ControlAPI
package import Postgres

/// One request, its parameters already checked against the command's.
package struct CommandCall: Sendable {
  package let caller: AuthorizedPeer
  /// The caller's `X-Request-Id`: a repeated one has one effect.
  package let requestId: String?
  private let values: [String: ParameterValue]

  package init(caller: AuthorizedPeer, requestId: String?, values: [String: ParameterValue]) {
    self.caller = caller
    self.requestId = requestId
    self.values = values
  }

  package func text(_ name: String) -> String? {
    if case .text(let text) = values[name] { text } else { nil }
  }

  package func integer(_ name: String) -> Int64? {
    if case .integer(let number) = values[name] { number } else { nil }
  }

  /// False where it was not given.
  package func flag(_ name: String) -> Bool {
    values[name] == .boolean(true)
  }

  /// The reason; throws the usage error if it is missing or empty.
  package func reason() throws -> String {
    guard let reason = text("reason"), !reason.isEmpty else {
      throw CommandError(.usage, rule: "reason", "a reason is required")
    }
    return reason
  }

  /// The journal's description of an executed command.
  func fields(_ command: Command, target: String) -> [String: String] {
    [
      "command": command.name, "target": target, "uid": "\(caller.uid)", "gid": "\(caller.gid)", "pid": "\(caller.pid)",
    ]
  }

  /// A stable text of all parameters, by name: what "the same request" means.
  package var canonical: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
  }
}

/// The effect of a changing command.
package struct CommandChange: Sendable {
  /// The target, for the audit: `race-settlement`, `42`.
  package let target: String
  package let before: JSON
  package let after: JSON
  package let answer: JSON
  /// The answer to a repeated request, without secrets that are shown once.
  let kept: JSON

  /// `answer` goes to the caller, by default the state after; `kept` is stored, by default the answer.
  package init(target: String, before: JSON, after: JSON, answer: JSON? = nil, kept: JSON? = nil) {
    self.target = target
    self.before = before
    self.after = after
    self.answer = answer ?? after
    self.kept = kept ?? self.answer
  }
}
