import DaemonSupport
import Engine
import Postgres
import TestSupport
import Testing

/// The race that README shows to a newcomer, run as printed.
@Suite("The first race of README") struct FirstRaceTests {
  @Test func `the first race of README is paid as README prints it, once a daemon starts`() async throws {
    let page = try Checkout.text("README.md")
    let blocks = page.matches(of: /```sql\n((?:.*\n)*?)```/).map { String($0.1) }
    try #require(blocks.count == 2)
    let database = try await SettledDatabase.simulated()
    let session = try await database.connect()
    try await session.script(blocks[0])
    let isPaid = "SELECT EXISTS (SELECT FROM racing.settlement WHERE outcome = 'paid')"
    #expect(try await session.query("\(raw: isPaid)").one(Bool.self) == false)

    // A settlement waits for an activity that is not validated yet, where it may win. A correction ranks one that
    // cannot win.
    let isRanked = "SELECT bool_and(rank IS NOT NULL) FROM racing.entry"
    let node = TestNode(database)
    try await within(.seconds(60), "the payment") {
      for await observation in node.all {
        guard case .batch("race-settlement", _, _, _) = observation else { continue }
        let (paid, ranked) = try await session.query("SELECT (\(raw: isPaid)), (\(raw: isRanked))").one(
          Bool.self, Bool.self)
        if paid && ranked { return }
      }
    }
    try await node.stop()

    let shown = try await session.query(
      """
      SELECT concat_ws(' | ', n, rank, prize_pence, balance_pence)
      FROM (\(raw: blocks[1].replacing(";", with: ""))) AS shown
      """
    ).decode(String.self)
    let printed = page.matches(of: /(?m)^ (\d+) \| +(\d+) \| +(\d+) \| (\d+)$/).map { row in
      "\(row.1) | \(row.2) | \(row.3) | \(row.4)"
    }
    #expect(shown == printed)
    #expect(printed.count == 4)
    #expect(try await Books.differences(session) == [])
    await session.close()
  }

  @Test func `the prizes of README's first race are 75, 20 and 5 of 99 percent of the fees, to the penny`() async throws
  {
    let page = try Checkout.text("README.md")
    let prizes = page.matches(of: /(?m)^ \d+ \| +\d+ \| +(\d+) \| \d+$/).compactMap { Int($0.1) }
    let pool = 4 * 100 * 99 / 100
    #expect(page.contains("\(pool) pence, as 75/20/5"))
    // The exact shares are 297, 79.2 and 19.8.
    #expect(prizes == [75, 20, 5].map { (pool * $0 + 50) / 100 } + [0])
    #expect(prizes.reduce(0, +) == pool)
  }
}
