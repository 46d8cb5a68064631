import Postgres
import TestSupport
import Testing

@Suite("The runners' leaderboard over HTTP", .timeLimit(.minutes(2))) struct LeaderboardRouteTests {
  @Test func `the leaderboard has all points or those of a season, page by page`() async throws {
    try await SystemWorld.run { world in
      try await world.owner.script(
        """
        SELECT seasons.create_runner(name, 2034, 'UA', true, true) FROM unnest('{Ann,Bob,Cat}'::text[]) AS name;
        SELECT seasons.earn_points(1, 'MEET_LOG', NULL, 'xc', '2031'), seasons.earn_points(2, 'WORKOUT', NULL, 'xc', '2031'),
          seasons.earn_points(2, 'MEET_LOG', NULL);
        """)
      let path = "/api/v1/points/leaderboard"
      let all = try await world.json("GET \(path)")
      #expect(
        try all
          == DocumentJSON(
            """
            [{"rank": 1, "runnerId": 2, "name": "Bob", "points": 35}, {"rank": 2, "runnerId": 1, "name": "Ann", "points": 20},
             {"rank": 3, "runnerId": 3, "name": "Cat", "points": 0}]
            """))
      let season = try await world.json("GET \(path)?season=xc&year=2031")
      #expect(try season.elements.map { try $0["name"].plain } == ["Ann", "Bob", "Cat"])
      let first = try await world.call("GET \(path)?limit=2")
      #expect(first["Link"]?.contains("limit=2&offset=2") == true, "\(first)")
      #expect(try await world.json("GET \(path)?limit=2&offset=2").elements.map { try $0["rank"].plain } == ["3"])
      for (query, rule) in [("season=xc", "year"), ("year=2031", "season"), ("limit=101", "limit"), ("page=2", "page")]
      {
        let refused = try await world.call("GET \(path)?\(query)")
        let told = try DocumentJSON(refused.body)["rule"].plain
        #expect(refused.status == 400 && told == rule, "\(refused)")
      }
    }
  }
}
