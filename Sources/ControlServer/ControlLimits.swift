/// Every limit of the sockets, in one place. Bytes, seconds and counts.
package struct ControlLimits: Sendable, Equatable {
  package var bodyBytesMax = 64 * 1024
  package var headerFieldBytesMax = 8 * 1024
  package var headerBytesMax = 16 * 1024
  package var headerFieldsMax = 64
  /// Per socket; one more is answered 503 and closed.
  package var connectionsMax = 64
  /// Of these, how many one user other than root may hold, so that nobody can keep the others out.
  package var connectionsPerUserMax = 32
  /// How long a connection may be silent, a head or a body may take to arrive, and an answer to be taken.
  package var idleAtMost: Duration = .seconds(10)
  /// How long a command may run; the caller then gets 503 and the command is cancelled.
  package var requestAtMost: Duration = .seconds(60)

  package init() {}
}
