import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite("Locale data that change under a stopped server", .timeLimit(.minutes(5))) struct LocaleChangeTests {
  /// Of a thousand, in any order of which the two locales differ.
  private static let keys = (1...1000).map { number in
    let signs = ["/", "-", "_", ".", " ", "~", "A", "a", "Z", "z", "É", "ł"]
    return "\(signs[number % 12])\(number % 7)\(signs[number % 11])\(number)\(signs[(number * 5) % 12])"
  }

  private func deposit(_ session: Connection, athlete: Int64) async throws {
    for key in Self.keys {
      _ = try await session.query("SELECT racing.deposit(\(athlete), 100::bigint, \(key)) IS NOT NULL").one(Bool.self)
    }
  }

  private func booked(_ session: Connection, athlete: Int64) async throws -> Int64 {
    try await session.query(
      "SELECT count(*) FROM racing.posting WHERE account = 'wallet' AND athlete_id = \(athlete) AND amount_pence = 100"
    ).one(Int64.self)
  }

  private func findings(_ session: Connection) async throws -> [String] {
    try await session.query(
      "SELECT d ->> 'account' FROM jsonb_array_elements(racing.verify_ledger() -> 'differences') AS d"
    ).decode(String.self)
  }

  private func session(_ old: OldRelease, _ database: String) async throws -> Connection {
    try await Connection.connect(ConnectionOptions(url: old.cluster.url(database: database)))
  }

  @Test func `no deposit is booked twice, and doubles of the former release are named, marked and corrected`()
    async throws
  {
    let locale = try await ChangingLocale()
    let old = try await OldRelease(locale: ChangingLocale.name, environment: locale.environment)
    #expect(try await old.migrate("fresh").exit == .code(0))
    var (former, today) = (try await session(old, "release"), try await session(old, "fresh"))
    for session in [former, today] {
      try await session.execute("SELECT racing.create_athlete('Ada', date '1999-05-05', 'female')")
      try await deposit(session, athlete: await athlete(session))
    }
    try await former.execute("SELECT racing.extend_chain(0, 100000)")
    try await old.cluster.pause()
    try await locale.change()
    try await old.cluster.resume()

    today = try await session(old, "fresh")
    let ada = try await athlete(today)
    try await deposit(today, athlete: ada)
    #expect(try await booked(today, athlete: ada) == 1000)
    #expect(try await findings(today) == [])

    former = try await session(old, "release")
    let bea = try await athlete(former)
    try await deposit(former, athlete: bea)
    let doubles = Int(try await booked(former, athlete: bea)) - 1000
    try #require(doubles > 0, "the two orders do not differ for these keys")
    let refused = try await old.migrate("release")
    #expect(
      refused.exit == .code(1) && refused.errors.contains("racing.journal journal_once (athlete/\(bea)/"),
      "\(refused.errors)")
    #expect(refused.errors.contains("--mark-doubles"))
    let marked = try await old.migrate("release", "--mark-doubles")
    #expect(marked.exit == .code(0), "\(marked.errors)")
    #expect(try await findings(former).count == doubles)
    #expect(try await former.query("SELECT count(*) FROM racing.check_chain(0, 100000)").one(Int64.self) == 0)
    try await deposit(former, athlete: bea)
    #expect(try await booked(former, athlete: bea) == 1000 + Int64(doubles))
    try await former.execute(
      """
      SELECT racing.reverse_deposit(p.id, 'booked twice')
      FROM racing.journal_double AS d JOIN racing.posting AS p USING (journal_id) WHERE p.account = 'wallet'
      """)
    #expect(try await findings(former) == [])
    for session in [former, today] { await session.close() }
    await old.end()
  }

  private func athlete(_ session: Connection) async throws -> Int64 {
    try await session.query("SELECT max(id) FROM racing.athlete").one(Int64.self)
  }
}
