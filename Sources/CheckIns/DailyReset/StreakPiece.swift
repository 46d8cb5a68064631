import Postgres

/// Ends the streaks of some days, as many as one transaction may: the rest is left to the transactions that follow.
struct StreakPiece {
  /// When a transaction has ended enough; what is begun is brought to the end of its statement.
  package struct Limits: Hashable, Sendable {
    /// The streaks of one statement, which are those of one zone.
    var statement = 1_000
    /// The streaks of all statements of a transaction.
    var transaction = 20_000
    /// The milliseconds since the transaction began.
    var milliseconds = 250
  }

  let limits: Limits
  /// How far each zone has got.
  private(set) var ended: [String: EndedStreaks] = [:]
  /// The zones of which streaks are left.
  private(set) var unfinished: Set<String> = []

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Every day gets one statement at least, so that days with few streaks are closed beside those with many.
  mutating func end(_ resets: [DailyReset], at now: Timestamp, in transaction: Transaction) async throws {
    var left = resets
    var count: Int64 = 0
    for reset in resets { ended[reset.zone] = reset.ended }
    while !left.isEmpty {
      let replies = try await transaction.pipeline(
        left.map {
          DailyResetRows.endStreaks(
            $0, after: ended[$0.zone] ?? .none, limit: limits.statement, at: now)
        } + [DailyResetRows.hasTime(milliseconds: limits.milliseconds)])
      var rest: [DailyReset] = []
      for (reset, reply) in zip(left, replies) {
        guard let piece = try reply.decodeFirst(as: Found.init) else { continue }
        ended[reset.zone] = (ended[reset.zone] ?? .none).adding(piece.ended, through: piece.date, piece.id)
        count += piece.ended
        if piece.found == limits.statement { rest.append(reset) }
      }
      left = rest
      guard try replies[replies.count - 1].one(Bool.self), count < limits.transaction else { break }
    }
    unfinished = Set(left.map(\.zone))
  }

  /// The row of `DailyResetRows.endStreaks`: how many streaks were found and ended, and the last of them.
  struct Found {
    let found: Int64
    let ended: Int64
    let date: String
    let id: Int64

    init(_ row: Row) throws(PostgresError) {
      found = try row["found"]
      ended = try row["ended"]
      date = try row["date"]
      id = try row["id"]
    }
  }
}
