internal import CLibpq

/// The meaning of a failed result.
extension Connection {
  /// The error of a result; the connection is closed when the session is unusable.
  func error(of result: ResultStorage, _ status: ExecStatusType) -> PostgresError {
    if [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) {
      let error = PostgresError(.usage, "COPY is not supported: connection closed")
      lose(error)
      return error
    }
    guard let message = result.serverMessage else {
      let terminationNotice = socket.sink.terminationNotice.map { PostgresError(.connection, server: $0) }
      let error = terminationNotice ?? PostgresError(.connection, result.errorMessage)
      lose(error)
      return error
    }
    if message.isFatal {
      let error = PostgresError(.connection, server: message)
      lose(error)
      return error
    }
    if message[.sqlState] == "25006", transaction?.isReadOnly != true {
      // Writing is refused although nobody asked for that: the server has become a standby. Another one must be found.
      let error = PostgresError(.connection, server: message)
      lose(error)
      return error
    }
    guard message[.sqlState] == "57014" else { return PostgresError(server: message) }
    return PostgresError(isTimeout(message) ? .timeout : .cancelled, server: message)
  }

  /// SQLSTATE 57014 stands for both; the message, which may be translated, and the time tell which.
  private func isTimeout(_ message: ServerMessage) -> Bool {
    switch operation?.interruption {
    case .timeout: return true
    case .task, .request: return false
    case nil:
      guard let operation, options.statementTimeout != .zero else { return false }
      return message.message.contains("statement timeout")
        || operation.began.duration(to: .now) >= options.statementTimeout
    }
  }
}
