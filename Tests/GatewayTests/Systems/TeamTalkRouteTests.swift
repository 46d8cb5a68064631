import Postgres
import TestSupport
import Testing

/// The requests and answers of the guide of team talks over HTTP; ids are the database's.
@Suite("Team talks over HTTP", .timeLimit(.minutes(2))) struct TeamTalkRouteTests {
  private static let base = "/api/v1/team-talks"

  /// The guide's people, and a talk of theirs; its uuid.
  static func talk(_ world: SystemWorld) async throws -> String {
    try await world.clock("2024-10-01T10:00:00Z")
    try await world.owner.script(
      """
      SELECT seasons.create_user('coach_mike', 'Mike', 'coach');
      SELECT seasons.create_user('jsmith', 'John Smith', 'runner');
      """)
    return try await again(world, "Pre-Race Strategy")
  }

  private static func again(_ world: SystemWorld, _ title: String) async throws -> String {
    try await world.owner.query(
      """
      SELECT seasons.create_team_talk(jsonb_build_object('author', 'coach_mike', 'season', 'xc', 'year', '2024',
        'title', \(title)::text, 'content', '# Race Day Tips', 'team', 'UA'))::text
      """
    ).one(String.self)
  }

  private static func track(_ talk: String, _ name: String = "jsmith") -> String {
    """
    {
      "teamTalkUuid": "\(talk)",
      "username": "\(name)",
      "displayName": "John Smith"
    }
    """
  }

  @Test func `a view of a talk is tracked with an empty answer, and shown to coaches`() async throws {
    try await SystemWorld.run { world in
      let talk = try await Self.talk(world)
      let token = try await world.token(username: "jsmith")
      let coach = try await world.token(username: "coach_mike")
      try await world.clock("2024-12-16T14:32:10Z")
      for _ in 0..<2 {
        let tracked = try await world.call(
          "POST \(Self.base)/views/track", token: token, body: Self.track(talk), headers: ["Idempotency-Key: one"])
        #expect(tracked.status == 200 && tracked.body.isEmpty, "\(tracked)")
        #expect(tracked["Content-Length"] == "0" && tracked["Content-Type"] == nil, "\(tracked)")
      }
      func shown(_ views: String) throws -> DocumentJSON {
        try DocumentJSON(
          """
          {
            "teamTalk": \(TeamExamples.talk(talk)),
            "reactions": [],
            "comments": [],
            "totalCommentCount": 0,
            "viewSummary": {\(views)}
          }
          """)
      }
      let seen = try shown(
        """
        "totalViews": 1,
        "uniqueViewers": 1,
        "recentViews": [
          {
            "username": "jsmith",
            "displayName": "John Smith",
            "viewedAt": "2024-12-16T14:32:10Z"
          }
        ]
        """)
      let planStable = try shown(#""totalViews": 0, "uniqueViewers": 0, "recentViews": []"#)
      for (caller, expected) in [(coach, seen), (token, planStable), (nil, planStable)] {
        #expect(try await world.json("GET \(Self.base)/\(talk)", token: caller) == expected)
        for list in ["all", "season?season=xc&year=2024&team=UA", "season"] {
          let talks = try await world.call("GET \(Self.base)/\(list)", token: caller)
          #expect(try DocumentJSON(talks.body) == .object(["teamTalks": .array([expected])]), "\(talks)")
          #expect(talks["Link"] == nil && (talks["ETag"] != nil) == (caller == nil), "\(talks)")
        }
      }
    }
  }

  @Test func `lists of talks are read page by page`() async throws {
    try await SystemWorld.run { world in
      var talks = [try await Self.talk(world)]
      for number in 1...4 { talks.append(try await Self.again(world, "Talk \(number)")) }
      for list in ["all?limit=2", "season?season=xc&limit=2"] {
        var (next, seen) = (String?("\(Self.base)/\(list)"), [String]())
        var pages = 0
        while let path = next, pages < 4 {
          let page = try await world.call("GET \(path)")
          seen += try DocumentJSON(page.body)["teamTalks"].elements.map { try $0["teamTalk"]["uuid"].plain }
          let link = page["Link"]
          next = link.map { String($0.dropFirst("<\(SystemWorld.publicURL)".count).prefix { $0 != ">" }) }
          #expect(link == nil || link?.hasSuffix(#">; rel="next""#) == true, "\(link ?? "")")
          pages += 1
        }
        #expect(pages == 3 && seen == talks.reversed(), "\(list)")
      }
    }
  }

  @Test func `refused talk requests have the status and envelope of their system`() async throws {
    try await SystemWorld.run { world in
      let talk = try await Self.talk(world)
      let token = try await world.token(username: "jsmith")
      let track = "POST \(Self.base)/views/track"
      let unknown = "00000000-0000-4000-8000-000000000000"
      let conflict = try await world.token(username: "stranger")
      for (line, token, body, status, rule) in [
        (track, nil, Self.track(talk), 401, "token-missing"), (track, "x", Self.track(talk), 401, "token"),
        (track, token, Self.track(talk, "coach_mike"), 403, "identity"),
        (track, try await world.token(athlete: 7), Self.track(talk), 403, "identity"),
        (track, conflict, Self.track(talk, "stranger"), 404, "user"),
        (track, token, Self.track("abc-123-def-456"), 404, "team-talk"),
        (track, token, Self.track(unknown), 404, "team-talk"), (track, token, "{}", 400, "display-name"),
        ("GET \(Self.base)/abc-123-def-456", nil, nil, 404, "team-talk"),
        ("GET \(Self.base)/\(unknown)", nil, nil, 404, "team-talk"),
        ("GET \(Self.base)/all?limit=0", nil, nil, 400, "limit"),
        ("GET \(Self.base)/all?limit=101", nil, nil, 400, "limit"),
        ("GET \(Self.base)/all?limit=x", nil, nil, 400, "limit"),
        ("GET \(Self.base)/all?before=\(unknown)", nil, nil, 404, "team-talk"),
        ("GET \(Self.base)/season?season=golf", nil, nil, 400, "season"),
        ("GET \(Self.base)/all", "x", nil, 401, "token"), ("DELETE \(Self.base)/\(talk)", token, nil, 405, "method"),
        ("GET \(Self.base)/views/track/x", nil, nil, 404, "path"),
      ] as [(String, String?, String?, Int, String)] {
        let reply = try await world.call(line, token: token, body: body)
        let members = try DocumentJSON(reply.body)
        #expect(reply.status == status, "\(line): \(reply)")
        #expect(try members["rule"] == .text(rule) && members.count == 2, "\(line): \(reply)")
      }
    }
  }
}
