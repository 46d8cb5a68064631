/// Every limit of a socket, in one place. Bytes, durations and counts.
package struct ServingLimits: Sendable, Equatable {
  /// Of a body that its handler has not asked for.
  package var bodyBytesMax = 64 * 1024
  /// All bodies that are being read or worked on, together; one more piece is answered 503.
  package var bodiesBytesMax = 64 * 1024 * 1024
  package var headerFieldBytesMax = 8 * 1024
  package var headerBytesMax = 16 * 1024
  package var headerFieldsMax = 64
  /// Per socket, for everybody; one more is answered 503 and closed.
  package var connectionsMax = 64
  /// How many connections one user of this machine other than root may hold, or one address. While others hold some,
  /// it is this part of `connectionsMax` less theirs, and one at least.
  package var connectionsPerSharerMax = 32
  /// Further connections that only operators, admins and root may hold: others cannot lock them out.
  package var connectionsForOperators = 8
  /// Further connections that only admins and root may hold.
  package var connectionsForAdmins = 8
  /// Further connections that only root may hold.
  package var connectionsForRoot = 8
  /// How many refused callers are listened to until they have read why; one more is closed at once.
  package var refusalsMax = 32
  /// Answers that are longer count as large.
  package var smallAnswerBytesMax = 64 * 1024
  /// Large answers of a socket that wait to be taken, those of admins apart; one more is answered 503.
  package var untakenBytesMax = 32 * 1024 * 1024
  /// How long a connection may be silent, and an answer may take to be taken.
  package var idleAtMost: Duration = .seconds(10)
  /// How long a head may take to arrive, from its first byte.
  package var headAtMost: Duration = .seconds(10)
  /// How long a body may take to arrive.
  package var bodyAtMost: Duration = .seconds(10)
  /// How long work may take; the caller then gets 503 and the work is cancelled.
  package var requestAtMost: Duration = .seconds(60)

  package init() {}
}
