/// One round trip in flight.
struct Operation {
  enum Interruption {
    case task, request, timeout
  }

  let id: Int

  /// The time that the server has for each answer; nil for any.
  let limit: Duration?

  /// The connection is given up at the limit, without a cancel request.
  let isFinal: Bool

  let began: ContinuousClock.Instant

  /// Why a cancel request was sent, if one was.
  var interruption: Interruption?
}

/// The statements of one round trip.
struct Batch {
  /// The statements that begin the transaction; never prepared.
  var opening: [Statement] = []
  var statements: [Statement] = []
  /// The statements that end it; never prepared.
  var closing: [Statement] = []

  var all: [Statement] { opening + statements + closing }
}

/// The transaction that is open on a connection.
struct OpenTransaction {
  let id: Int

  let isReadOnly: Bool

  /// The statements to send before the first one; empty once they were sent.
  var opening: [Statement]

  /// An injected failure: as on the server, nothing but a rollback works after it.
  var failure: PostgresError?
}

/// The sender of a statement.
enum StatementSource {
  /// A user of the connection, inside of the transaction or outside.
  case user
  /// `BEGIN`, `COMMIT` and `ROLLBACK`: never prepared, never cancelled.
  case control
  /// The connection's own upkeep: never prepared, and not seen by tests.
  case `internal`
}
