/// Whose fault a failure is.
///
/// What a caller does about an error follows from its verdict, and from nothing else about the error. Each caller has
/// one function from a verdict to what it does, which switches over all of them. Source: Engine.docc/Failures.md,
/// "Verdicts".
package enum Verdict: String, Sendable, CaseIterable {
  /// The row or the request that was worked on: its data, its size, or a rule that refuses it.
  case item
  /// Others held what was needed, or changed it meanwhile: the same succeeds a little later.
  case contention
  /// The connection is lost, or the server starts or ends.
  case connection
  /// The server or the pool lacks memory, disk space or connections.
  case resource
  /// It took longer than it may: the item is too large, or the server is slow.
  case timeout = "time-out"
  /// A right, a table or a function is missing, or a file is damaged: a person must repair it.
  case installation
  /// The caller withdrew: its task was cancelled, its pool closed, or a person cancelled its statement.
  case caller
}

extension Verdict {
  /// Whether other statements may succeed meanwhile: the connection is as good as before, and wanted.
  package var allowsOthers: Bool {
    switch self {
    case .item, .contention, .resource, .timeout, .installation: true
    case .connection, .caller: false
    }
  }
}

extension PostgresError {
  package var verdict: Verdict {
    switch code {
    case .server, .injected: isOutdatedPlan ? .contention : Verdict(sqlState: sqlState)
    // The server also ends a session for a transaction that takes too long.
    case .connection: Verdict(sqlState: sqlState) == .timeout ? .timeout : .connection
    case .timeout: .timeout
    case .cancelled, .closed: .caller
    case .poolExhausted: .resource
    case .decoding, .rowCount, .usage: .item
    }
  }
}
