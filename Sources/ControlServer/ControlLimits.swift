/// Every limit of the sockets, in one place. Bytes, seconds and counts.
package struct ControlLimits: Sendable, Equatable {
  package var bodyBytesMax = 64 * 1024
  package var headerFieldBytesMax = 8 * 1024
  package var headerBytesMax = 16 * 1024
  package var headerFieldsMax = 64
  /// Per socket, for everybody; one more is answered 503 and closed.
  package var connectionsMax = 64
  /// How many connections one user other than root may hold.
  package var connectionsPerUserMax = 32
  /// Further connections that only admins and root may hold: others cannot lock them out.
  package var connectionsForAdmins = 8
  /// Further connections that only root may hold.
  package var connectionsForRoot = 8
  /// How many refused callers are listened to until they have read why; one more is closed at once.
  package var refusalsMax = 32
  /// Answers that are longer count as large.
  package var smallAnswerBytesMax = 64 * 1024
  /// Large answers of a socket that wait to be taken, those of admins apart; one more is answered 503.
  package var untakenBytesMax = 32 * 1024 * 1024
  /// How long a connection may be silent, a head or a body may take to arrive, and an answer to be taken.
  package var idleAtMost: Duration = .seconds(10)
  /// How long a command may run; the caller then gets 503 and the command is cancelled.
  package var requestAtMost: Duration = .seconds(60)

  package init() {}
}
