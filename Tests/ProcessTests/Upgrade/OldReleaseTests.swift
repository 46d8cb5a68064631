import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite("A database of the release of 21 November", .timeLimit(.minutes(5))) struct OldReleaseTests {
  /// The tables of that release whose rows a migration neither adds nor drops.
  private static let kept = [
    "racing.athlete", "racing.wallet", "racing.race", "racing.entry", "racing.activity", "racing.journal",
    "racing.posting",
    "racing.settlement", "racing.payout", "racing.flag", "racing.review", "racing.decision", "racing.chain_link",
    "racing.transaction_end", "checkins.profile", "checkins.entry", "checkins.streak", "checkins.day",
    "settled.schedule",
    "settled.occurrence", "settled.audit", "settled.event", "strava.connection",
  ]

  private func counts(_ old: OldRelease) async throws -> [String] {
    var counts: [String] = []
    for table in Self.kept { counts.append("\(table) \(try await old.number("SELECT count(*) FROM \(raw: table)"))") }
    return counts
  }

  @Test func `a database of 21 November migrates to today's schema, with every row and penny`() async throws {
    let old = try await OldRelease()
    let (wallets, rows) = (try await old.wallets(), try await counts(old))
    #expect(wallets.count == 13 && !rows.contains { $0.hasSuffix(" 0") }, "\(rows)")
    let migrated = try await old.migrate("release")
    #expect(migrated.exit == .code(0) && migrated.output.contains("applied 0011-"), "\(migrated)")
    #expect(migrated.output.contains("applied the functions\nthis database uses a simulated clock"), "\(migrated)")
    #expect(try await old.wallets() == wallets)
    #expect(try await counts(old) == rows)
    #expect(try await Books.differences(old.owner) == [])
    // A backup of that release is known for the same database, whenever it is migrated.
    let id = try await old.owner.query("SELECT id::text FROM settled.installation").one(String.self)
    let again = try await OldRelease()
    #expect(try await again.migrate("release").exit == .code(0))
    #expect(try await again.owner.query("SELECT id::text FROM settled.installation").one(String.self) == id)
    await again.end()
    // A second time there is nothing to do.
    #expect(try await old.migrate("release").output.hasPrefix("nothing to do"))

    #expect(try await old.migrate("fresh").exit == .code(0))
    let fresh = try await Connection.connect(ConnectionOptions(url: old.cluster.url(database: "fresh")))
    let (made, expected) = (try await SchemaShape.read(old.owner), try await SchemaShape.read(fresh))
    #expect(expected.count > 2000)
    #expect(Set(made).subtracting(expected).sorted() == [], "only the migrated database has these")
    #expect(Set(expected).subtracting(made).sorted() == [], "only the new database has these")
    await fresh.close()
    await old.end()
  }

  @Test func `a daemon of today continues a database of 21 November, and settles open races once`()
    async throws
  {
    let old = try await OldRelease()
    #expect(try await old.migrate("release").exit == .code(0))
    let daemon = try old.daemon()
    try await daemon.log("ready")
    #expect(try await daemon.settlectl("ledger", "verify").exit == .code(0))
    let before = try await old.wallets()
    // A deposit of that release, repeated with its key, is not booked again.
    _ = try await old.owner.query("SELECT racing.deposit(1, 2001, 'first-1')")
    #expect(try await old.wallets() == before)
    let approved = try await daemon.settlectl(
      "review", "approve", "\(OldRelease.underReview)", "--reason", "a light boat")
    #expect(approved.exit == .code(0), "\(approved.errors)")

    let settlements: Statement = "SELECT count(*) FROM racing.settlement WHERE race_id = \(OldRelease.openRace)"
    #expect(try await old.number(settlements) == 0)
    try await old.owner.execute("SELECT settled.set_clock(\(OldRelease.due)::text::timestamptz)")
    try await old.owner.waitUntilSettled([OldRelease.openRace])
    try await untilTrue("all that is due") { try await old.number(Self.due) == 0 }
    #expect(try await old.number(settlements) == 1)
    let paid = try await old.number(
      "SELECT sum(amount_pence)::bigint FROM racing.payout WHERE race_id = \(OldRelease.openRace)")
    // Twelve fees of 499 pence, without the one of the athlete who was disqualified, less one per cent.
    #expect(paid > 5000)
    #expect(try await Books.differences(old.owner) == [])
    for command in [["ledger", "verify"], ["audit", "schedule"], ["seasons", "verify"]] {
      let checked = try await daemon.settlectl(command)
      #expect(checked.exit == .code(0), "\(command): \(checked.output)\(checked.errors)")
    }
    #expect(try await old.number("SELECT count(*) FROM settled.failure") == 0)
    #expect(
      try await old.number(
        "SELECT count(*) FROM settled.occurrence WHERE schedule = 'hourly' AND instant > \(OldRelease.stopped)::text::timestamptz"
      ) > 0)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await old.end()
  }

  private static let due: Statement = """
    SELECT (SELECT count(*) FROM racing.race WHERE status NOT IN ('settled', 'cancelled') AND due_at <= settled.clock())
      + (SELECT count(*) FROM checkins.zone WHERE next_at <= settled.clock())
      + (SELECT count(*) FROM settled.occurrence WHERE finished_at IS NULL AND instant <= settled.clock())
      + (SELECT count(*) FROM settled.event_pending)
    """
}
