import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Civil time in the database") struct CivilTimeTests {
  private func start(_ day: String, _ zone: String, _ session: Connection) async throws -> String? {
    try await session.query("SELECT settled.iso(settled.day_start(\(day)::text::date, \(zone)))").one(String?.self)
  }

  /// A sample of the zones; all of them with SETTLED_SOAK, as `deploy/soak` sets it.
  @Test func `civil time in the database equals Python's zoneinfo over zones and days`() async throws {
    let database = try await SettledDatabase.simulated()
    let every = ProcessInfo.processInfo.environment["SETTLED_SOAK"] == nil ? "60" : "1"
    print(try await Oracle.run("civil_time.py", [database.url(.daemon), every]), terminator: "")
  }

  @Test(arguments: [
    ("Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00.000Z"),
    ("America/Havana", "2024-03-10", "2024-03-10T05:00:00.000Z"),
    ("America/Havana", "2024-11-03", "2024-11-03T04:00:00.000Z"),
    ("Pacific/Apia", "2011-12-30", nil), ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"),
    ("Pacific/Kwajalein", "1993-08-21", nil),
  ])
  func `a day begins at its first instant, and a date that a zone skipped has none`(
    zone: String, day: String, start: String?
  ) async throws {
    let session = try await SettledDatabase.simulated().connect(.daemon)
    #expect(try await self.start(day, zone, session) == start)
  }

  @Test func `the current day stays when clocks fall back over midnight`() async throws {
    let session = try await SettledDatabase.simulated().connect(.daemon)
    // America/St_Johns, 2006-10-29: at 00:01 clocks went back to 23:01.
    let dates: Statement = """
      SELECT string_agg(settled.local_date(timestamptz '2006-10-29 02:29Z' + i * interval '30 minutes',
        'America/St_Johns')::text || CASE WHEN (timestamptz '2006-10-29 02:29Z' + i * interval '30 minutes')
        AT TIME ZONE 'America/St_Johns' < '2006-10-29' THEN '*' ELSE '' END, ' ' ORDER BY i) FROM generate_series(0, 4) AS i
      """
    #expect(
      try await session.query(dates).one(String.self)
        == "2006-10-28* 2006-10-29* 2006-10-29* 2006-10-29 2006-10-29")
  }
}
