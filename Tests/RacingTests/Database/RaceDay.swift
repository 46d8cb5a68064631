import Engine
import Postgres
import TestSupport

@testable import Racing

/// A race of 3 June 2031 through a real database, moved on by the test: its jobs run when the test says so.
///
/// Entries are made on 2 June, activities imported at noon of the day, results due at one in the morning after.
struct RaceDay: Sendable {
  static let due = "2031-06-04T01:00:00Z"

  let course: Course
  let pool: Pool

  init() async throws {
    course = try await Course()
    pool = course.database.pool()
  }

  var session: Connection { course.session }

  /// A race with one entry for each score in mm/s (nil: an athlete who stays at home), validated and over.
  struct Field: Sendable {
    let race: Int64
    var athletes: [Int64] = []
    var entries: [Int64] = []
    /// Only where there is a score.
    var activities: [Int64?] = []
  }

  func field(_ scores: [Int64?], duration: String = "daily", pence: Int64 = 10_000) async throws -> Field {
    var field = Field(race: try await course.race(duration: duration))
    for index in scores.indices {
      let athlete = try await course.athlete("Athlete \(index)", pence: pence)
      field.athletes.append(athlete)
      field.entries.append(try await course.enter(athlete, field.race))
    }
    try await pass(to: "2031-06-03T12:00:00Z")
    for (index, score) in scores.enumerated() {
      field.activities.append(try await outing(field.athletes[index], score: score, stravaId: Int64(index + 1)))
    }
    try await validate()
    return field
  }

  private func outing(_ athlete: Int64, score: Int64?, stravaId: Int64) async throws -> Int64? {
    guard let score else { return nil }
    return try await course.outing(athlete, stravaId: stravaId, maxSpeed: "\(score)e-3")
  }

  /// Sets the clock and lets races start and end.
  func pass(to instant: String) async throws {
    try await course.setClock(instant)
    try await JobRunner(LifecycleJob(), in: course.database.context(pool)).runAllDue()
  }

  func validate() async throws {
    try await JobRunner(ValidationJob(), in: course.database.context(pool)).runAllDue()
  }

  func settle() async throws {
    try await JobRunner(SettlementJob(), in: course.database.context(pool)).runAllDue()
  }

  func escalate() async throws {
    try await JobRunner(EscalationJob(), in: course.database.context(pool)).runAllDue()
  }

  /// The rows that settling the race would write; nothing is written.
  func preview(_ race: Int64) async throws -> SettlementPreview {
    let gate = course.database.context(pool).gate
    return try await pool.transaction(.repeatableRead, readOnly: true) {
      try await SettleOne(gate: gate).preview(race, in: $0)
    }
  }

  /// Settles as an operator does.
  @discardableResult
  func settle(_ race: Int64, expecting hash: String? = nil, overriding: Bool = false) async throws -> SettlementPreview
  {
    let gate = course.database.context(pool).gate
    return try await pool.transaction {
      try await SettleOne(gate: gate).settle(race, expecting: hash, overriding: overriding, in: $0)
    }
  }

  /// To the instant at which results are due, and on.
  func finish() async throws {
    try await pass(to: Self.due)
    try await settle()
  }

  /// Takes an entry out as a disqualification does, under the race's lock; its fee goes back in the same transaction.
  func remove(_ entry: Int64, as status: String = "disqualified", by other: Connection? = nil) async throws {
    try await (other ?? session).transaction { transaction in
      _ = try await transaction.pipeline(Self.removal(of: entry, as: status))
    }
  }

  static func removal(of entry: Int64, as status: String) -> [Statement] {
    [
      "SELECT FROM racing.race WHERE id = (SELECT race_id FROM racing.entry WHERE id = \(entry)) FOR NO KEY UPDATE",
      "UPDATE racing.entry SET status = \(status), is_refunded = true WHERE id = \(entry) AND status = 'entered'",
      """
      INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
      SELECT 'refund', 'entry/' || id || '/refund', race_id, 'Refund', settled.clock() FROM racing.entry
      WHERE id = \(entry) AND status = \(status)
      """,
      """
      UPDATE racing.wallet AS w SET balance_pence = w.balance_pence + e.fee_pence FROM racing.entry AS e
      WHERE e.id = \(entry) AND e.status = \(status) AND w.athlete_id = e.athlete_id
      """,
      """
      INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
      SELECT j.id, p.* FROM racing.entry AS e
        JOIN racing.journal AS j ON j.idempotency_key = 'entry/' || e.id || '/refund'
        JOIN racing.wallet AS w ON w.athlete_id = e.athlete_id,
        LATERAL (VALUES ('pool', NULL, e.race_id, e.id, -e.fee_pence, NULL),
          ('wallet', e.athlete_id, NULL, e.id, e.fee_pence, w.balance_pence)) AS p
      WHERE e.id = \(entry)
      """,
    ]
  }

  /// The differences from what must be true of every database; empty: all is well.
  func differences() async throws -> [String] {
    try await Books.differences(session)
  }
}
