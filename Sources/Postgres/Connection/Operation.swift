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

/// What goes to the server in one round trip.
struct Parcel {
  /// What begins the transaction; never prepared.
  var opening: [Statement] = []
  var statements: [Statement] = []
  /// What ends it; never prepared.
  var closing: [Statement] = []

  var all: [Statement] { opening + statements + closing }
}

/// The transaction that is open on a connection.
struct OpenTransaction {
  let id: Int

  let isReadOnly: Bool

  /// What the server is to be told before the first statement; empty once it was.
  var opening: [Statement]

  /// An injected failure: as on the server, nothing but a rollback works after it.
  var failure: PostgresError?
}

/// Who sends a statement.
enum Origin {
  /// A user of the connection, inside of the transaction or outside.
  case user
  /// `BEGIN`, `COMMIT` and `ROLLBACK`: never prepared, never cancelled.
  case control
  /// The connection's own upkeep: never prepared, and not seen by tests.
  case `internal`
}
