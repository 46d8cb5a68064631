import Postgres
import TestSupport
import Testing

/// The examples of the guide of team talks.
@Suite struct TeamTalkShapeTests {
  private static func talk(_ world: Wrappers, _ title: String, _ season: String = "xc", team: String = "UA")
    async throws -> String
  {
    try await world.owner.query(
      """
      SELECT seasons.create_team_talk(jsonb_build_object('author', 'coach_mike', 'season', \(season)::text,
        'year', '2024', 'title', \(title)::text, 'content', '# Race Day Tips', 'team', \(team)::text))::text
      """
    ).one(String.self)
  }

  private static func world() async throws -> Wrappers {
    let world = try await Wrappers(at: "2024-10-01T10:00:00Z")
    try await world.user("coach_mike", "coach")
    for (name, called) in [("jdoe", "John Doe"), ("asmith", "Alice Smith"), ("jsmith", "John Smith")] {
      try await world.user(name, called: called)
    }
    return world
  }

  private static func track(_ talk: String, _ name: String, _ called: String) -> JSON {
    JSON(text: #"{"teamTalkUuid": "\#(talk)", "username": "\#(name)", "displayName": "\#(called)"}"#)
  }

  private static let planStable = #"{"totalViews": 0, "uniqueViewers": 0, "recentViews": []}"#

  @Test func `a talk is the guide's example for a coach, and lacks views for others`() async throws {
    let world = try await Self.world()
    let talk = try await Self.talk(world, "Pre-Race Strategy")
    for user in ["jdoe", "asmith"] {
      try await world.owner.execute("SELECT seasons.react(\(talk)::text::uuid, \(user), '🔥')")
    }
    try await world.clock("2024-12-16T14:30:05Z")
    let comment = try await world.owner.query(
      "SELECT seasons.comment(\(talk)::text::uuid, 'jdoe', 'Great')::text"
    ).one(String.self)
    #expect(
      try await world.answer("team_track_view('asmith', \(Self.track(talk, "asmith", "Alice Smith")))") == .object([:]))
    try await world.clock("2024-12-16T14:32:10Z")
    _ = try await world.answer("team_track_view('jdoe', \(Self.track(talk, "jdoe", "John Doe")))")
    func shown(_ views: String) throws -> DocumentJSON {
      try DocumentJSON(
        """
        {
          "teamTalk": \(TeamExamples.talk(talk)),
          "reactions": [
            {
              "emoji": "🔥",
              "count": 2,
              "usernames": ["jdoe", "asmith"]
            }
          ],
          "comments": [
            {
              "uuid": "\(comment)", "teamTalkUuid": "\(talk)", "username": "jdoe", "displayName": "John Doe",
              "message": "Great", "createdAt": "2024-12-16T14:30:05.000Z", "updatedAt": "2024-12-16T14:30:05.000Z",
              "replies": []
            }
          ],
          "totalCommentCount": 1,
          "viewSummary": \(views)
        }
        """)
    }
    let seen = try shown(
      """
      {
        "totalViews": 2,
        "uniqueViewers": 2,
        "recentViews": [
          {
            "username": "jdoe",
            "displayName": "John Doe",
            "viewedAt": "2024-12-16T14:32:10Z"
          },
          {
            "username": "asmith",
            "displayName": "Alice Smith",
            "viewedAt": "2024-12-16T14:30:05Z"
          }
        ]
      }
      """)
    for viewer in ["coach_mike", "jdoe", "stranger", nil] {
      let expected = viewer == "coach_mike" ? seen : try shown(Self.planStable)
      #expect(try await world.answer("team_talk(\(viewer), \(talk))") == expected, "\(viewer ?? "-")")
      for list in ["team_all_talks", "team_season_talks"] {
        let talks = try await world.answer("\(raw: list)(\(viewer))")
        #expect(talks == .object(["teamTalks": .array([expected])]), "\(list) \(viewer ?? "-")")
      }
    }
    #expect(try await world.answer("team_talk(NULL, \(talk.uppercased()))") == (try shown(Self.planStable)))
  }

  @Test func `a view belongs to the caller, who may be omitted, and to nobody else`() async throws {
    let world = try await Self.world()
    let talk = try await Self.talk(world, "Pre-Race Strategy")
    let unknown = "00000000-0000-4000-8000-000000000000"
    for (caller, body, expected) in [
      ("jsmith", Self.track(talk, "jsmith", "John Smith").text, "ok"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)", "displayName": "John Smith", "team": "UA"}"#, "ok"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)", "username": null, "displayName": "J", "team": null}"#, "ok"),
      ("jsmith", Self.track(talk, "jdoe", "John Doe").text, "SD403 identity"),
      ("coach_mike", Self.track(talk, "jdoe", "John Doe").text, "SD403 identity"),
      (nil, Self.track(talk, "jsmith", "John Smith").text, "SD403 identity"),
      (nil, #"{"teamTalkUuid": "\#(talk)", "displayName": "John Smith"}"#, "SD403 identity"),
      ("stranger", Self.track(talk, "stranger", "S").text, "SD404 user"),
      ("jsmith", Self.track("abc-123-def-456", "jsmith", "John Smith").text, "SD404 team-talk"),
      ("jsmith", Self.track(unknown, "jsmith", "John Smith").text, "SD404 team-talk"),
      ("jsmith", #"{"displayName": "John Smith"}"#, "SD400 team-talk-uuid"),
      ("jsmith", #"{"teamTalkUuid": 5, "displayName": "John Smith"}"#, "SD400 team-talk-uuid"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)", "username": 5, "displayName": "John Smith"}"#, "SD400 username"),
      ("jsmith", Self.track(talk, "jsmith", "").text, "SD400 display-name"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)"}"#, "SD400 display-name"),
      ("jsmith", Self.track(talk, "jsmith", String(repeating: "é", count: 100)).text, "ok"),
      ("jsmith", Self.track(talk, "jsmith", String(repeating: "é", count: 101)).text, "SD400 display-name"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)", "displayName": "J", "team": "XX"}"#, "SD400 team"),
      ("jsmith", #"{"teamTalkUuid": "\#(talk)", "displayName": "J", "viewedAt": "now"}"#, "SD400 key"),
      ("jsmith", "[]", "SD400 body"),
    ] as [(String?, String, String)] {
      #expect(try await world.tried("team_track_view(\(caller), \(JSON(text: body)))") == expected, "\(body)")
    }
    let summary = try await world.answer("team_talk('coach_mike', \(talk))")["viewSummary"]
    #expect(try summary["totalViews"] == .number(4) && summary["uniqueViewers"] == .number(1))
    // A view always has the user's own name.
    let names = try summary["recentViews"].elements.map { try $0["displayName"].plain }
    #expect(names == .init(repeating: "John Smith", count: 4))
  }

  @Test func `a malformed uuid of a talk is not found`() async throws {
    let world = try await Self.world()
    for text in ["abc-123-def-456", "", "00000000-0000-4000-8000-000000000000", "{}", "all"] {
      #expect(try await world.tried("team_talk('coach_mike', \(text))") == "SD404 team-talk", "\(text)")
      #expect(try await world.tried("team_all_talks(NULL, \(text))") == "SD404 team-talk", "\(text)")
    }
  }

  @Test func `lists of talks are filtered and paged, newest first`() async throws {
    let world = try await Self.world()
    var talks: [String] = []
    for number in 0..<6 {
      talks.append(
        try await Self.talk(
          world, "\(number)", number.isMultiple(of: 2) ? "xc" : "track", team: number < 3 ? "UA" : "NU"))
    }
    func titles(_ call: Statement) async throws -> String {
      let talks = try await world.answer(call)["teamTalks"].elements
      return try talks.map { try $0["teamTalk"]["title"].plain }.joined(separator: " ")
    }
    #expect(try await titles("team_season_talks(NULL, 'xc', '2024', 'UA')") == "2 0")
    #expect(try await titles("team_season_talks(NULL, 'track', '2024')") == "5 3 1")
    #expect(try await titles("team_season_talks(NULL, season => 'xc', before => \(talks[4]), max => 1)") == "2")
    #expect(try await titles("team_season_talks(NULL)") == "5 4 3 2 1 0")
    #expect(try await titles("team_all_talks(NULL)") == "5 4 3 2 1 0")
    #expect(try await titles("team_all_talks(NULL, \(talks[3]), 2)") == "2 1")
    #expect(try await titles("team_season_talks(NULL, 'xc', '2023')") == "")
    for (arguments, expected) in [
      ("season => 'golf'", "season"), ("year => '24'", "year"), ("team => 'XX'", "team"), ("max => 0", "limit"),
      ("max => 101", "limit"), ("max => NULL", "limit"),
    ] {
      #expect(try await world.tried("team_season_talks(NULL, \(raw: arguments))") == "SD400 \(expected)")
    }
    #expect(try await world.tried("team_all_talks(NULL, max => 0)") == "SD400 limit")
  }
}
