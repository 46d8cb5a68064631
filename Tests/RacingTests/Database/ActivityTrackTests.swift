import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("A shown activity", .timeLimit(.minutes(2))) struct ActivityTrackTests {
  /// An activity with a track of 1,000,000 characters and streams of 200,000 samples, of which one is the fastest.
  private static func large() async throws -> (day: RaceDay, activity: Int64) {
    let day = try await RaceDay()
    let field = try await day.field([5000])
    let activity = try #require(field.activities[0])
    // Steps of a hundred-thousandth of a degree to the north-east, and back.
    let track = String(repeating: "AA@@", count: 250_000)
    try await day.session.execute("UPDATE racing.activity SET polyline = \(track) WHERE id = \(activity)")
    try await day.session.execute(
      """
      INSERT INTO racing.activity_stream (activity_id, times, distances)
      SELECT \(activity), array_agg(g * 1000000000 ORDER BY g),
        array_agg(g * 2500000000 + CASE WHEN g > 77777 THEN 5000000000 ELSE 0 END ORDER BY g)
      FROM generate_series(0::bigint, 199999) AS g
      """)
    return (day, activity)
  }

  @Test func `the largest track and streams are thinned, and the one peak is kept`() async throws {
    let (day, activity) = try await Self.large()
    for points in [2, 3, 500, 2000] as [Int64] {
      let shown = try await day.ask(.activityShow, ["id": .integer(activity), "points": .integer(points)])
      #expect(shown["pointsCount"] == 500_000)
      #expect(shown["samplesCount"] == 200_000)
      let track = shown["points"]?.elements.map { $0.elements.map(\.serialized) } ?? []
      #expect(track.count == Int(points))
      #expect(track.first == ["1e-05", "1e-05"])
      #expect(track.last == ["0.0", "0.0"] || track.last == ["0", "0"])
      let samples = shown["samples"]?.elements ?? []
      #expect(samples.count <= Int(points) && samples.count > 0)
      #expect(samples.compactMap { $0["mmPerSecond"]?.integer }.max() == 7500)
      #expect(samples.compactMap { $0["mmPerSecond"]?.integer }.min() == 2500)
      let times = samples.compactMap { $0["millisecond"]?.integer }
      #expect(times == times.sorted() && times.contains(77_778_000))
      #expect(shown.serialized.utf8.count < 300_000)
    }
    let best = try await day.ask(.activityShow, ["id": .integer(activity)])["best"]?["km1"]
    // 1000 m at 2.5 m/s take 400 s, less 2 s by the jump.
    #expect(best?["ms"] == 398_000)
    let from = try #require(Double(best?["fromMetre"]?.serialized ?? ""))
    #expect((193_447...194_448).contains(from))
  }

  @Test func `a shown activity has its decisions and flags, and no track once it is forgotten`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    try await day.session.execute(
      "UPDATE racing.activity SET polyline = '_p~iF~ps|U_ulLnnqC_mqNvxq`@' WHERE id = \(activity)")
    try await day.session.execute(
      "INSERT INTO racing.activity_stream VALUES (\(activity), '{0,1000000000}', '{0,3000000000}')")
    try await day.course.flag(activity, by: try await day.course.spectators(3))
    try await day.escalate()
    _ = try await day.ask(.reviewRequestInfo, ["id": .integer(activity), "reason": .text("a motor?")])
    let shown = try await day.ask(.activityShow, ["id": .integer(activity)])
    #expect(
      shown["points"] == [
        [.number(38.5), .number(-120.2)], [.number(40.7), .number(-120.95)], [.number(43.252), .number(-126.453)],
      ])
    #expect(shown["samples"]?.elements.count == 1)
    #expect(shown["best"] == ["km1": .null, "km5": .null])
    #expect(shown["athleteFlags"] == 3)
    #expect(shown["decisions"]?.elements.map { $0["reason"] } == ["a motor?"])
    #expect(shown["decisions"]?.elements.map { $0["reviewer"] } == ["uid 7"])
    #expect(shown["forgottenAt"] == .null)

    try await day.session.execute(
      "INSERT INTO racing.deletion (activity_id, forget_at) VALUES (\(activity), settled.clock())")
    let now = try await day.session.query("SELECT settled.clock()").one(Timestamp.self)
    try await day.session.execute(Forgetting.forgetDeleted(limit: 10, at: now))
    let forgotten = try await day.ask(.activityShow, ["id": .integer(activity)])
    #expect(forgotten["forgottenAt"] != .null)
    #expect(forgotten["points"] == [])
    #expect(forgotten["samples"] == [])
    #expect(forgotten["pointsCount"] == 0)
    #expect(forgotten["samplesCount"] == 0)
    #expect(forgotten["best"] == ["km1": .null, "km5": .null])
    #expect(forgotten["distanceM"] == shown["distanceM"])
  }

  @Test func `decided flags are shown with their decision beside the open ones, and at most twenty of them`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    let users = try await day.course.spectators(25)
    try await day.course.flag(activity, by: Array(users.prefix(3)))
    let before = try await day.ask(.reviewShow, ["id": .integer(activity)])
    #expect(before["decidedFlags"] == [] && before["decidedFlagsCount"] == 0)
    #expect(before["flags"]?.elements.count == 3)
    try await day.escalate()
    // A question closes no flag.
    _ = try await day.ask(.reviewRequestInfo, ["id": .integer(activity), "reason": .text("a motor?")])
    _ = try await day.ask(.reviewApprove, ["id": .integer(activity), "reason": .text("no motor")])
    // The measured content is another one, so that everybody may flag again.
    try await day.session.execute("UPDATE racing.activity SET content_hash = 'other' WHERE id = \(activity)")
    try await day.course.flag(activity, by: Array(users.prefix(1)))
    for command in [CommandDescription.reviewShow, .activityShow] {
      let shown = try await day.ask(command, ["id": .integer(activity)])
      let decided = shown["decidedFlags"]?.elements ?? []
      #expect(Set(decided.compactMap { $0["flaggedBy"]?.integer }) == Set(users.prefix(3)))
      #expect(decided.allSatisfy { $0["decision"]?["decision"] == "approve" })
      #expect(decided.allSatisfy { $0["decision"]?["reason"] == "no motor" && $0["decision"]?["reviewer"] == "uid 7" })
      #expect(decided.allSatisfy { $0["closedAt"] == $0["decision"]?["at"] && $0["counts"] == true })
      #expect(shown["decidedFlagsCount"] == 3)
    }
    let open = try await day.ask(.reviewShow, ["id": .integer(activity)])
    #expect(open["flags"]?.elements.compactMap { $0["flaggedBy"]?.integer } == [users[0]])
    #expect(open["openFlags"] == 1)

    try await day.course.flag(activity, by: Array(users.dropFirst(3)))
    _ = try await day.ask(.reviewDisqualify, ["id": .integer(activity), "reason": .text("seen")])
    let all = try await day.ask(.reviewShow, ["id": .integer(activity)])
    #expect(all["decidedFlags"]?.elements.count == 20 && all["decidedFlagsCount"] == 26)
    #expect(all["flags"] == [])
  }

  @Test func `an activity with a malformed track is shown up to there, and wrong parameters are refused`() async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000])
    let activity = try #require(field.activities[0])
    #expect(try await day.ask(.activityShow, ["id": .integer(activity)])["points"] == [])
    for points in [1, 2001, -1] as [Int64] {
      #expect(
        try await day.refusal(.activityShow, ["id": .integer(activity), "points": .integer(points)]) == "points")
    }
    #expect(try await day.refusal(.activityShow, ["id": .integer(99_999)]) == "activity")
    #expect(try await day.refusal(.athleteShow, ["id": .integer(99_999)]) == "athlete")
    let athlete = try await day.ask(.athleteShow, ["id": .integer(field.athletes[0])])
    #expect(athlete["balancePence"] == .integer(try await day.course.balance(field.athletes[0])))
    #expect(athlete["entries"]?.elements.map { $0["raceId"] } == [.integer(field.race)])
    #expect(athlete["activities"]?.elements.map { $0["id"] } == [.integer(activity)])
    #expect(!athlete.serialized.contains("2003-05-05"), "the date of birth is private")
  }

  @Test func `an activity and an athlete cost the same among a hundred times as many`() async throws {
    var touched: [[Int]] = []
    for count in [500, 50_000] {
      let session = try await SettledDatabase.simulated().connect()
      try await session.script(
        """
        INSERT INTO racing.athlete (display_name, user_type, created_at)
          SELECT 'a' || g, 'spectator', settled.clock() FROM generate_series(1, \(count / 10)) AS g;
        INSERT INTO racing.wallet (athlete_id) SELECT a.id FROM racing.athlete AS a ON CONFLICT DO NOTHING;
        SET session_replication_role = replica;
        INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, scored, provider_flagged, is_proved)
          SELECT 1 + g % \(count / 10), g, '', 'Kayaking', settled.clock() - g * interval '1 minute', 1, 1, 1, '', settled.clock(),
            true, false, true FROM generate_series(1, \(count)) AS g;
        INSERT INTO racing.review (activity_id, opened_at, state) SELECT g, settled.clock(), 'decided'
          FROM generate_series(1, \(count)) AS g;
        INSERT INTO racing.decision (review_id, activity_id, decision, reviewer, note, decided_at, saw_scores, is_overruling)
          SELECT g, g, 'approve', 'm', '', settled.clock(), true, false FROM generate_series(1, \(count)) AS g;
        SET session_replication_role = DEFAULT;
        """)
      try await session.execute("VACUUM ANALYZE")
      touched.append([
        try await session.pagesTouched(ActivityTrack.statement(7)),
        try await session.pagesTouched(AthleteOverview.statement(7)),
      ])
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 40, "\(touched)") }
  }
}
