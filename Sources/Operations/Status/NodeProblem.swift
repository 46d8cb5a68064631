package import Postgres

/// One problem of a node.
package struct NodeProblem: Sendable, Equatable {
  package enum Cause: Sendable, Equatable {
    /// The target is the affected job.
    case known(ProblemKind, target: String?)
    /// The database stores it under this name.
    case kept(name: String)
  }

  /// Names and codes only: for the health socket, which anyone may query.
  package let code: String
  package let text: String
  package let cause: Cause
  /// Nil if the node does not have it.
  package let since: Timestamp?

  /// `detail` follows the kind's own code.
  init(
    _ kind: ProblemKind, detail: String? = nil, target: String? = nil, since: Timestamp? = nil, _ text: String
  ) {
    code = detail.map { "\(kind.code) \($0)" } ?? kind.code
    self.text = text
    self.since = since
    cause = .known(kind, target: target)
  }

  init(kept name: String, since: Timestamp?, _ text: String) {
    code = name
    self.text = text
    self.since = since
    cause = .kept(name: name)
  }

  /// A problem of a job; its text contains only names and numbers.
  init(plain text: String, _ kind: ProblemKind, of job: String, since: Timestamp? = nil) {
    code = text
    self.text = text
    self.since = since
    cause = .known(kind, target: job)
  }

  func kind(_ modules: [String: ProblemKind]) -> (ProblemKind, target: String?) {
    switch cause {
    case .known(let kind, let target): (kind, target)
    case .kept(let name): ProblemKind.of(kept: name, modules)
    }
  }
}
