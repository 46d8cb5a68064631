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
}
