import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("The list of races for operators") struct RaceListTests {
  @Test func `the list of races has each with its pool, its wait and its settlement`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let other = try await day.course.race(
      type: "fastest_1km", category: "senior_women", from: "2031-07-01T00:00:00Z", to: "2031-07-02T00:00:00Z")
    let leader = try #require(field.activities[0])
    try await day.course.flag(leader, by: try await day.course.spectators(3))
    try await day.escalate()
    func row(_ race: Int64) async throws -> JSONValue? {
      try await day.ask(.raceList)["rows"]?.elements.first { $0["id"]?.integer == race }
    }
    let shown = try await day.ask(.raceShow, ["id": .integer(field.race)])
    let open = try await row(field.race)
    #expect(open?["poolPence"] == shown["prizePoolPence"] && open?["poolPence"]?.integer ?? 0 > 0)
    #expect(open?["entries"] == 3)
    #expect(open?["feePence"] == shown["entryFeePence"])
    #expect(try await row(other)?["poolPence"] == 0)
    try await day.pass(to: "2031-06-04T00:30:00Z")
    #expect(try await row(field.race)?["waitingFor"]?["reason"] == "grace")
    try await day.finish()
    let held = try await day.ask(.raceShow, ["id": .integer(field.race)])["waitingFor"]
    #expect(held?["reason"] == "review")
    #expect(try await row(field.race)?["waitingFor"] == held)
    _ = try await day.ask(.reviewDisqualify, ["id": .integer(leader), "reason": .text("a motor")])
    try await day.settle()
    let settled = try await row(field.race)
    #expect(settled?["status"] == "settled")
    #expect(settled?["waitingFor"] == .null)
    let paid = try await day.session.query(
      "SELECT prize_pool_pence, settled.iso(settled_at) FROM racing.settlement WHERE race_id = \(field.race)"
    ).one(Int64.self, String.self)
    #expect(settled?["poolPence"] == .integer(paid.0))
    #expect(settled?["settledAt"] == .text(paid.1))
    #expect(try await day.pages(.raceList, of: 1).flatMap { $0 } == [other, field.race])
    #expect(try await day.pages(.raceList, ["status": .text("settled")], of: 50) == [[field.race]])
    #expect(
      try await day.pages(.raceList, ["type": .text("fastest_1km"), "category": .text("senior_women")], of: 50) == [
        [other]
      ])
    #expect(try await day.pages(.raceList, ["status": .text("cancelled")], of: 50) == [[]])
    for name in ["status", "type", "category"] {
      #expect(try await day.refusal(.raceList, name: name, "x' OR true") == name)
    }
  }

  @Test func `a page of races costs the same among a hundred times as many, and ends early for a rare filter`()
    async throws
  {
    var touched: [[Int]] = []
    for count in [2000, 200_000] {
      let session = try await Self.races(count)
      touched.append([
        try await session.pagesTouched(RaceList.statement(.init(), before: .max, limit: 50)),
        try await session.pagesTouched(RaceList.statement(.init(status: "settled"), before: .max, limit: 50)),
        try await session.pagesTouched(RaceList.statement(.init(status: "ended"), before: .max, limit: 50)),
        try await session.pagesTouched(
          RaceList.statement(.init(status: "settled", category: "men_u23"), before: .max, limit: 50)),
      ])
      if count > 2000 {
        // No race has the type: the page ends after the races that it may look at, and the next one begins there.
        let rare = RaceList.statement(.init(type: "fastest_5km"), before: .max, limit: 50)
        #expect(try await session.pagesTouched(rare) < 2000)
        let next = try await session.query("SELECT (\(fragment: rare)) ->> 'next'").one(String?.self)
        let last = try await session.query("SELECT max(id) FROM racing.race").one(Int64.self)
        #expect(next == String(last - RaceList.lookedAtMax + 1))
      }
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < 2 * few + 100, "\(touched)") }
  }

  private static func races(_ count: Int) async throws -> Connection {
    let session = try await SettledDatabase.simulated().connect()
    for first in stride(from: 1, through: count, by: 20_000) {
      try await session.script(
        """
        SET session_replication_role = replica;
        INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
          platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at, is_reinstating)
        SELECT 'top_speed', 'daily', CASE WHEN g % 8 = 0 THEN 'men_u23' ELSE 'senior_men' END, at,
          at + interval '1 hour', at + interval '2 hours', at + interval '2 hours', 100, 1, '{75,20,5}', '3 hours',
          '72 hours', CASE WHEN g % \(count / 20) = 0 THEN 'ended' ELSE 'settled' END, at, false
        FROM (SELECT settled.clock() AS now OFFSET 0) AS c,
          generate_series(\(first), \(min(first + 19_999, count))) AS g,
          LATERAL (SELECT c.now - g * interval '1 minute' AS at) AS t;
        SET session_replication_role = DEFAULT;
        """)
    }
    try await session.execute("VACUUM ANALYZE racing.race")
    return session
  }
}
