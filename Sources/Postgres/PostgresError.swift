/// Why the database did not do what was asked.
///
/// `description` is safe to show: it holds no bind value, no detail and no password. `debugDescription` is for
/// the journal: all fields, still without a password.
package struct PostgresError: Error, Sendable, Hashable {
  /// The kind of failure; the raw values are stable.
  package enum Code: String, Sendable, CaseIterable {
    /// No connection could be made, or it was lost.
    case connection
    /// The statement took longer than its time-out.
    case timeout
    /// The task, or somebody else, cancelled the statement.
    case cancelled
    /// The server refused: see `sqlState`.
    case server
    /// A result had another shape or type than the code expects.
    case decoding
    /// `one()` met no row or several.
    case rowCount
    /// Every connection of the pool was busy for too long, or too many wait already.
    case poolExhausted
    /// The connection, pool or transaction had been closed before.
    case closed
    /// The caller broke a rule of this module.
    case usage
    /// A test's `beforeStatement` refused the statement.
    case injected
  }

  package let code: Code
  package let message: String

  /// The server's fields, where the server spoke.
  package let server: ServerMessage?

  package init(_ code: Code, _ message: String, sqlState: String? = nil) {
    self.code = code
    self.message = message
    self.server = sqlState.map { ServerMessage(fields: [.sqlState: $0, .message: message]) }
  }

  package init(_ code: Code = .server, server: ServerMessage) {
    self.code = code
    self.message = server.message
    self.server = server
  }
}

extension PostgresError {
  package var sqlState: String? { server?[.sqlState] }
  package var detail: String? { server?[.detail] }
  package var hint: String? { server?[.hint] }
  package var constraint: String? { server?[.constraint] }
  package var schema: String? { server?[.schema] }
  package var table: String? { server?[.table] }
  package var column: String? { server?[.column] }
  package var datatype: String? { server?[.datatype] }
  package var severity: String? { server?[.severity] }
  package var position: Int? { server?[.position].flatMap { Int($0) } }
  package var context: String? { server?[.context] }
  package var internalQuery: String? { server?[.internalQuery] }
  package var routine: String? { server?[.routine] }

  /// There is no connection (any more): trying again on another may help, whatever the statement was.
  package var isConnectionProblem: Bool {
    code == .connection || isClass("08") || ["57P01", "57P02", "57P03"].contains(sqlState)
  }

  /// Others were in the way: serialization failure, deadlock, lock time-out.
  package var isContention: Bool { isClass("40") || sqlState == "55P03" }

  /// The server lacks memory, disk or connections.
  package var isResource: Bool { isClass("53") }

  /// A prepared statement is there that this connection did not make, or is gone: others use its session, too.
  package var isOfSharedSession: Bool { sqlState == "42P05" || sqlState == "26000" }

  /// Raised by a function or a trigger that is not PostgreSQL's own: RAISE EXCEPTION, or a class that no standard uses.
  package var isRaisedByApplication: Bool {
    guard let sqlState, let first = sqlState.unicodeScalars.first else { return false }
    if sqlState == "P0001" { return true }
    let isFree = ("5"..."9").contains(first) || ("I"..."Z").contains(first)
    return isFree && !["53", "54", "55", "57", "58", "72", "P0", "XX"].contains(sqlState.prefix(2))
  }

  private func isClass(_ prefix: String) -> Bool { sqlState?.hasPrefix(prefix) ?? false }
}
