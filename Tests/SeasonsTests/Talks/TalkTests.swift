import Postgres
import TestSupport
import Testing

@Suite("Team talks") struct TalkTests {
  @Test func `team talks are shown as in the guide's example`() async throws {
    let team = try await Team(at: "2031-10-01T10:00:00.999Z")
    for (name, role) in [("coach_mike", "coach"), ("jdoe", "runner"), ("asmith", "runner")] {
      try await team.user(name, role)
    }
    let talk = try await team.talk()
    for user in ["jdoe", "asmith"] { try await team.react(talk, user, "🔥") }
    try await team.clock("2031-10-02T14:30:05.900Z")
    try await team.view(talk, "asmith")
    let first = try await team.comment(talk, "jdoe", "Great")
    let reply = try await team.comment(talk, "asmith", "Indeed", first)
    try await team.clock("2031-10-02T14:32:10.100Z")
    try await team.view(talk, "jdoe")
    func comment(_ uuid: String, _ user: String, _ message: String, _ replies: [TeamTalkResponse.NestedComment])
      -> TeamTalkResponse.NestedComment
    {
      .init(
        uuid: uuid, teamTalkUuid: talk, username: user, displayName: "The \(user)", message: message,
        createdAt: "2031-10-02T14:30:05.900Z", updatedAt: "2031-10-02T14:30:05.900Z", replies: replies)
    }
    #expect(
      try await team.read(talk, as: "coach_mike")
        == .init(
          teamTalk: .init(
            uuid: talk, author: "coach_mike", season: "xc", year: "2031", title: "Pre-Race Strategy",
            content: "# Race Day Tips", team: "UA", createdAt: "2031-10-01T10:00:00Z", updatedAt: "2031-10-01T10:00:00Z"
          ),
          reactions: [.init(emoji: "🔥", count: 2, usernames: ["jdoe", "asmith"])],
          comments: [comment(first, "jdoe", "Great", [comment(reply, "asmith", "Indeed", [])])],
          totalCommentCount: 2,
          viewSummary: .init(
            totalViews: 2, uniqueViewers: 2,
            recentViews: [
              .init(username: "jdoe", displayName: "The jdoe", viewedAt: "2031-10-02T14:32:10Z"),
              .init(username: "asmith", displayName: "The asmith", viewedAt: "2031-10-02T14:30:05Z"),
            ])))
    let shown = try await team.session.query(
      "SELECT seasons.user('jdoe')::text || seasons.user('coach_mike')::text"
    ).one(String.self)
    #expect(
      shown == """
        {"role": "runner", "runnerId": null, "username": "jdoe", "displayName": "The jdoe"}\
        {"role": "coach", "runnerId": null, "username": "coach_mike", "displayName": "The coach_mike"}
        """)
  }

  @Test func `reactions count once for a person, are sorted by number, and can be withdrawn`()
    async throws
  {
    let team = try await Team()
    for name in ["a", "b", "c"] { try await team.user(name) }
    let talk = try await team.talk()
    for (user, emoji) in [("b", "🎉"), ("a", "🎉"), ("a", "🎉"), ("c", "👍"), ("a", "😀"), ("c", "🎉"), ("c", "😀")] {
      try await team.react(talk, user, emoji)
    }
    func shown() async throws -> [String] {
      try await team.read(talk).reactions.map { "\($0.emoji) \($0.count) \($0.usernames)" }
    }
    #expect(try await shown() == [#"🎉 3 ["a", "b", "c"]"#, #"😀 2 ["a", "c"]"#, #"👍 1 ["c"]"#])
    for _ in 0..<2 { _ = try await team.session.query("SELECT seasons.unreact(\(talk)::text::uuid, 'a', '🎉')") }
    #expect(try await shown() == [#"🎉 2 ["b", "c"]"#, #"😀 2 ["a", "c"]"#, #"👍 1 ["c"]"#])
  }

  @Test func `a person may have 50 reactions to a talk, which keeps it readable`() async throws {
    let team = try await Team()
    for name in ["a", "b"] { try await team.user(name) }
    let talk = try await team.talk()
    for number in 1...50 { try await team.react(talk, "a", "\(number)") }
    #expect(try await outcome { try await team.react(talk, "a", "51") } == "SD400 emoji")
    try await team.react(talk, "a", "50")
    try await team.react(talk, "b", "51")
    #expect(try await team.read(talk).reactions.count == 51)
  }

  @Test func `team talks show the latest 500 comments with replies eight deep, and count all`() async throws {
    let team = try await Team()
    try await team.user("ann")
    let talk = try await team.talk()
    let oldest = try await team.comment(talk, "ann", "oldest")
    var parent = try await team.comment(talk, "ann", "0")
    for depth in 1...8 { parent = try await team.comment(talk, "ann", "\(depth)", parent) }
    #expect(try await outcome { _ = try await team.comment(talk, "ann", "9", parent) } == "SD400 depth")
    let other = try await team.talk("Other")
    #expect(try await outcome { _ = try await team.comment(other, "ann", "x", parent) } == "SD404 comment")
    var shown = try await team.read(talk)
    #expect(shown.comments.map(\.message) == ["oldest", "0"] && shown.totalCommentCount == 10)
    var chain = shown.comments[1]
    for depth in 1...8 {
      #expect(chain.replies.map(\.message) == ["\(depth)"])
      chain = chain.replies[0]
    }
    for number in 1...494 { _ = try await team.comment(talk, "ann", "more \(number)") }
    _ = try await team.comment(talk, "ann", "late reply", oldest)
    shown = try await team.read(talk)
    // The five oldest are not shown: `oldest` and replies 0 to 3. Those whose
    // parents are not shown stand by themselves.
    #expect(shown.totalCommentCount == 505 && shown.comments.count == 496)
    #expect(shown.comments.first?.message == "4" && shown.comments.last?.message == "late reply")
  }

  @Test func `team talks too large for one answer continue on more pages`() async throws {
    let team = try await Team()
    try await team.user("ann")
    var talks: [String] = []
    for _ in 0..<4 { talks.append(try await team.talk()) }
    try await team.session.script(
      """
      INSERT INTO seasons.comment (talk_id, user_id, message, depth, created_at, updated_at)
        SELECT t, 1, repeat('😀', 10000), 0, settled.clock(), settled.clock()
        FROM generate_series(1, 4) AS t, generate_series(1, 500);
      """)
    func page(_ arguments: String) async throws -> [String] {
      try await team.session.query(
        "SELECT t->'teamTalk'->>'uuid' FROM jsonb_array_elements(seasons.team_talks(\(raw: arguments))) AS t"
      ).decode(String.self)
    }
    let newest = try await page("")
    #expect(newest == [talks[3], talks[2], talks[1]])
    #expect(try await page("before => '\(talks[1])'") == [talks[0]])
  }

  @Test func `team talks are listed newest first, by season, year and team, in pages`() async throws {
    let team = try await Team()
    var talks: [String] = []
    for number in 0..<12 {
      talks.append(
        try await team.talk(
          "\(number)", number % 2 == 0 ? "xc" : "track", number % 3 == 0 ? "2030" : "2031",
          team: number % 4 == 0 ? "NU" : "UA"))
    }
    func titles(_ arguments: String) async throws -> String {
      let statement: Statement = "SELECT seasons.team_talks(\(raw: arguments))::text"
      let page: [TeamTalkResponse] = try await team.session.document(statement)
      return page.map(\.teamTalk.title).joined(separator: " ")
    }
    #expect(try await titles("") == "11 10 9 8 7 6 5 4 3 2 1 0")
    #expect(try await titles("season => 'xc', year => '2031'") == "10 8 4 2")
    #expect(try await titles("team => 'NU'") == "8 4 0")
    #expect(try await titles("max => 3") == "11 10 9")
    #expect(try await titles("before => '\(talks[9])', max => 3") == "8 7 6")
    #expect(try await titles("season => 'track', year => '2029'") == "")
  }
}
