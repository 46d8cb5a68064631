import Postgres
import TestSupport
import Testing

@Suite("The herd and the books") struct HerdTests {
  @Test func `a herd's books are in order before anything is settled`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let races = try await Herd(races: 30, entries: 20, athletes: 50).write(owner)
    let more = try await Herd(races: 5, entries: 3).write(owner, status: "active")
    #expect(races.count == 30 && more.count == 5)
    try await Books.check(owner)
    #expect(try await owner.query("SELECT count(*) FROM racing.entry").one(Int64.self) == 615)
  }

  /// Raw SQL of a bug, and a word of the check that must find it.
  @Test(arguments: [
    ("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 2", "wallet"),
    ("UPDATE racing.race SET status = 'settled' WHERE id = 1", "revisions"),
    ("UPDATE racing.race SET entry_count = 0 WHERE id = 1", "counts"),
    ("DELETE FROM racing.posting WHERE id = (SELECT max(id) FROM racing.posting)", "two sides"),
    ("UPDATE racing.entry SET status = 'refunded', is_refunded = true WHERE id = 1", "pool"),
    ("UPDATE racing.entry SET fee_pence = 99 WHERE id = 1", "charged once"),
    (
      """
      INSERT INTO racing.settlement VALUES (1, 1, 'paid', now(), 500, 5, 495, NULL, '', '{}', '{}');
      UPDATE racing.race SET status = 'settled' WHERE id = 1
      """, "splits"
    ),
    ("INSERT INTO settled.event VALUES (7, 'race.settled', '1', '{}', now())", "events"),
  ])
  func `the books detect each planted difference`(bug: String, word: String) async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    _ = try await Herd(races: 2, entries: 5).write(owner)
    try await owner.script("SET session_replication_role = replica; \(bug)")
    let differences = try await Books.differences(owner)
    #expect(differences.contains { $0.contains(word) }, "\(differences)")
  }
}
