import Foundation
import Postgres
import TestSupport
import Testing

/// The answers that the canoe app shows, read with its own types.
@Suite("The canoe app", .timeLimit(.minutes(2))) struct RacepaceAppTests {
  /// The app loads one page and filters it itself.
  @Test func `one page has every race of the calendar, those that end first first`() async throws {
    try await SystemWorld.run { world in
      // Months and weeks are older than days, whose races are made last.
      try await world.owner.execute(
        """
        SELECT racing.create_race(t, d, c, day, day + d_length)
        FROM (VALUES ('monthly', interval '30 days', 1), ('weekly', interval '7 days', 2), ('daily', interval '1 day', 2))
            AS d (d, d_length, count),
          generate_series(0, count - 1) AS n,
          LATERAL (SELECT timestamptz '2031-06-02 00:00:00Z' + n * d_length AS day) AS s,
          unnest('{top_speed,furthest_distance,fastest_1km,fastest_5km}'::text[]) AS t,
          unnest('{junior_girls,junior_boys,women_u23,men_u23,senior_women,senior_men,masters_women,masters_men}'::text[])
            AS c
        """)
      let page = try await world.call("GET /races")
      let races = try RacepaceApp.decode([RacepaceApp.Race].self, page.body)
      #expect(races.count == 160 && page["Link"] == nil)
      #expect(races.map(\.endDate) == races.map(\.endDate).sorted())
      for category in RacepaceApp.Category.allCases {
        #expect(races.count { $0.duration == .daily && $0.category == category } == 8, "\(category)")
      }
      #expect(races.prefix(64).allSatisfy { $0.duration == .daily })
    }
  }

  @Test func `the link of each page of races leads to the next, and a cursor of another list is refused`() async throws
  {
    try await SystemWorld.run { world in
      try await world.owner.execute(
        """
        SELECT racing.create_race('top_speed', 'daily', 'senior_men', at, at + interval '1 day')
        FROM generate_series(timestamptz '2031-06-07 00:00:00Z', '2031-06-03 00:00:00Z', '-1 day') AS at
        """)
      var (path, seen): (String?, [String]) = ("/races?limit=2&type=top_speed", [])
      while let next = path, seen.count <= 5 {
        let page = try await world.call("GET \(next)")
        seen += try RacepaceApp.decode([RacepaceApp.Race].self, page.body).map(\.id)
        path = page["Link"].map { $0.dropFirst(SystemWorld.publicURL.count + 1).prefix { $0 != ">" }.description }
      }
      #expect(seen == ["5", "4", "3", "2", "1"])
      for cursor in ["3", "x", "5-2", "%E2%82%AC"] {
        let refused = try await world.call("GET /races?after=\(cursor)")
        #expect(refused.status == 400 && refused.has(#""rule":"after""#), "\(refused)")
      }
      for (limit, status) in [(500, 200), (501, 400), (0, 400)] {
        #expect(try await world.call("GET /races?limit=\(limit)").status == status, "\(limit)")
      }
    }
  }
}
