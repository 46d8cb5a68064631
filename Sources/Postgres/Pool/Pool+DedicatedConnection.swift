extension Pool {
  /// Opens a connection beside the pool, for what a lent one is no good for: work that takes long, or that must not see
  /// what a session caches. Closed when `body` ends.
  ///
  /// `timeout` replaces the limits of a statement and of an idle transaction.
  @discardableResult
  nonisolated package func withDedicatedConnection<R: Sendable>(
    timeout: Duration? = nil, _ body: @Sendable (Connection) async throws -> R
  ) async throws -> R {
    var options = options
    if let timeout {
      options.statementTimeout = timeout
      options.idleInTransactionTimeout = timeout
    }
    let connection = try await greeted(Connection.connect(options))
    await note(connection)
    do {
      let value = try await body(connection)
      await forget(connection)
      await connection.close()
      return value
    } catch {
      await forget(connection)
      await connection.close()
      throw error
    }
  }
}
