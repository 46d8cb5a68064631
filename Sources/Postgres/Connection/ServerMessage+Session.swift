/// What a message means for the session that it came from.
extension ServerMessage {
  /// The session ends with this message.
  var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }

  /// The session ends with this notice: after a crash (57P02) the server sends a warning.
  var isTerminationNotice: Bool { isFatal || self[.sqlState] == "57P01" || self[.sqlState] == "57P02" }

  /// The warning with which a COMMIT succeeds whose wait for a synchronous standby was cancelled or timed out. Its text
  /// may be translated and its class is the general one, so the server's function decides.
  var isReplicationUnconfirmed: Bool { self[.routine] == "SyncRepWaitForLSN" }
}
