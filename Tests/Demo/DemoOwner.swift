import Postgres

/// The owner of the demo's database: moves the simulated clock and reads the books.
struct DemoOwner: Sendable {
  let pool: Pool
  /// Nil: there is none, and nobody's token is asked for.
  var provider: DemoProvider?

  /// The provider's clock goes with the database's. Unless they run, both stand until they are set again.
  func setClock(_ instant: String, running: Bool = false) async throws {
    let statement: Statement = "SELECT settled.set_clock(\(instant)::text::timestamptz, \(running))"
    if let provider {
      try await provider.setClock(
        number("SELECT extract(epoch FROM \(instant)::text::timestamptz)::bigint"), runs: running)
    }
    _ = try await pool.withConnection { try await $0.execute(statement) }
  }

  /// Only who is known at the provider enters races.
  func demandProof() async throws {
    _ = try await pool.withConnection { try await $0.query("SELECT settled.set('racing.proof', 'on')") }
  }

  /// Until no activity waits for its validation.
  func pendingActivities() async throws -> Int64 {
    try await number("SELECT count(*) FROM racing.activity WHERE status = 'pending'")
  }

  func regularRaces() async throws -> Int64 {
    try await number("SELECT count(*) FROM racing.race")
  }

  func unnumberedEvents() async throws -> Int64 {
    try await number("SELECT count(*) FROM settled.event_pending")
  }

  /// The sum of an account's postings, in pence.
  func total(_ account: String) async throws -> Int64 {
    try await number("SELECT coalesce(sum(amount_pence), 0)::bigint FROM racing.posting WHERE account = \(account)")
  }

  func ledger() async throws -> (journals: Int64, postings: Int64, differences: Int64) {
    let statement: Statement = """
      SELECT (v->>'journals')::bigint, (v->>'postings')::bigint, jsonb_array_length(v->'differences')::bigint
      FROM racing.verify_ledger() AS v
      """
    return try await pool.withConnection { try await $0.query(statement).one(Int64.self, Int64.self, Int64.self) }
  }

  /// Zones with a day that has ended and is not closed.
  func dueDays() async throws -> Int64 {
    try await number("SELECT count(*) FROM checkins.zone WHERE next_at <= settled.clock()")
  }

  /// Points and views of which their jobs have not yet taken note.
  func uncounted() async throws -> Int64 {
    try await number(
      "SELECT (SELECT count(*) FROM seasons.team_change) + (SELECT count(*) FROM seasons.uncounted_view)")
  }

  /// People whose achievements have not yet been checked.
  func dueChecks() async throws -> Int64 {
    try await number("SELECT count(*) FROM achievements.person WHERE due_at IS NOT NULL")
  }

  func closedDays(_ zone: String) async throws -> [(date: String, checkedIn: Int64, ended: Int64)] {
    let statement: Statement = """
      SELECT date::text, checked_in, streaks_ended FROM checkins.day WHERE zone = \(zone) ORDER BY date
      """
    return try await pool.withConnection { try await $0.query(statement).decode(String.self, Int64.self, Int64.self) }
      .map { (date: $0, checkedIn: $1, ended: $2) }
  }

  /// Items that failed and have not succeeded since.
  func failures() async throws -> [String] {
    try await pool.withConnection {
      try await $0.query("SELECT format('%s %s: %s', job, key, error) FROM settled.failure WHERE attempts > 0")
        .decode(String.self)
    }
  }

  /// The simulated time.
  func clock() async throws -> String { try await text("SELECT settled.iso(settled.clock())") }

  func text(_ statement: Statement) async throws -> String {
    try await pool.withConnection { try await $0.query(statement).one(String.self) }
  }

  func number(_ statement: Statement) async throws -> Int64 {
    try await pool.withConnection { try await $0.query(statement).one(Int64.self) }
  }
}
