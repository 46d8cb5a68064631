package import Postgres

/// One problem of a node.
package struct NodeProblem: Sendable, Equatable {
  package enum Cause: Sendable, Equatable {
    /// The target is the job that is concerned.
    case known(ProblemKind, target: String?)
    /// The database keeps it under this name.
    case kept(name: String)
  }

  /// Names and codes only: for the health socket, which anybody may ask.
  package let code: String
  package let text: String
  package let cause: Cause
  /// Nil where the node does not know it.
  package let since: Timestamp?

  /// `detail` stands in the code behind the kind's own.
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

  /// One of a job, whose text has nothing but names and numbers.
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
