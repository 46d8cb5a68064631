import ControlAPI
import DaemonSupport
import Operations
import Postgres
import TestSupport
import Testing
import TextCoding

/// Everything that apps and operators say of the person holds one word, and no row has it afterwards.
@Suite("An erased person") struct EraseTests {
  private static let word = "Needle"

  private let course: Course
  private let node: TestNode

  init() async throws {
    course = try await Course()
    node = TestNode(course.database)
  }

  private var session: Connection { course.session }

  private func erase(_ kind: String, _ id: String) async throws -> JSONValue {
    try JSONValue(
      try await node.ask("person.erase", ["kind": .text(kind), "id": .text(id), "reason": .text("asked for it")]))
  }

  private func rule(_ kind: String, _ id: String) async throws -> String {
    do {
      return try await erase(kind, id).serialized
    } catch let error as CommandError {
      return error.rule
    }
  }

  /// The tables that have the word in some row.
  private func tablesWithWord() async throws -> [String] {
    let tables = try await session.query(
      """
      SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname IN ('settled', 'racing', 'strava', 'seasons', 'achievements', 'checkins',
        'accounts', 'gateway') ORDER BY 1
      """
    ).decode(String.self)
    #expect(tables.count > 60)
    var found: [String] = []
    for table in tables {
      let count = try await session.query(
        "SELECT count(*) FROM \(raw: table) AS t WHERE t::text ILIKE \("%\(Self.word)%")"
      ).one(Int64.self)
      if count > 0 { found.append(table) }
    }
    return found
  }

  private func account(_ key: String, _ value: ParameterValue) async throws {
    _ = try await node.ask("account.create", ["email": .text("needle@example.org"), key: value])
  }

  @Test func `an erased athlete leaves ids and the ledger, and no name, track, note or account`() async throws {
    let athlete = try await course.athlete("Needle Ann", pence: 500)
    let other = try await course.athlete("Somebody Else", pence: 0)
    let withdrawal = try await session.query("SELECT (racing.withdraw(\(athlete), 500, 'w') ->> 'id')::bigint").one(
      Int64.self)
    #expect(try await rule("athlete", "\(athlete)") == "money")
    _ = try await session.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    let activity = try await course.outing(athlete, stravaId: 7, at: "2031-06-02T08:00:00Z")
    try await session.execute("UPDATE racing.activity SET name = 'Needle Paddle', polyline = 'Needle'")
    _ = try await session.query("SELECT racing.flag_activity(\(activity), \(other), 'other', 'Needle cheats')")
    try await session.execute("UPDATE racing.activity SET status = 'under_review'")
    try await session.execute("INSERT INTO racing.review (activity_id, opened_at) VALUES (\(activity), now())")
    _ = try await session.query("SELECT racing.review_activity(\(activity), 'request_info', 'mod', 'ask Needle')")
    _ = try await node.ask(
      "review.request-info", ["id": .integer(activity), "reason": .text("Needle is to answer")])
    _ = try await node.ask(
      "person.correct",
      [
        "kind": .text("athlete"), "id": .integer(athlete), "dateOfBirth": .text("1990-01-01"),
        "reason": .text("Needle sent a passport"),
      ])
    try await account("athlete", .integer(athlete))
    let ledger: Statement = "SELECT md5(string_agg(p::text, ' ' ORDER BY p.id)) FROM racing.posting AS p"
    let before = try await session.query(ledger).one(String.self)
    #expect(try await tablesWithWord().count >= 6)

    let answer = try await erase("athlete", "\(athlete)")
    #expect(try await tablesWithWord() == [])
    let born: Statement = "SELECT count(*) FROM settled.audit AS a WHERE a::text LIKE '%1990-01-01%'"
    #expect(try await session.query(born).one(Int64.self) == 0)
    #expect(answer["erased"]?["tracks"] == 1 && answer["erased"]?["accounts"] == 1 && answer["erased"]?["tokens"] == 1)
    #expect(answer["kept"]?.elements.contains("the ledger") == true)
    #expect(try await session.query(ledger).one(String.self) == before)
    #expect(try await Books.differences(session) == [])
    let status = try await session.query("SELECT status FROM strava.connection WHERE athlete_id = \(athlete)").one(
      String.self)
    #expect(status == "revoked")
    try await node.stop()
  }

  @Test func `an erased athlete gets nothing from an import that ran meanwhile`() async throws {
    let athlete = try await course.athlete("Ann", pence: 0)
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let found = """
      {"stravaId": 7, "name": "Needle Paddle", "activityType": "Kayaking", "startDate": "2031-06-02T08:00:00Z",
       "elapsedTime": 1800, "movingTime": 1800, "distance": 6000, "maxSpeed": 4.5, "startLocation": \(place),
       "endLocation": \(place), "polyline": "mock"}
      """
    func find(_ athlete: Int64) async throws {
      try await session.execute(
        """
        SELECT strava.ask_streams(\(athlete), 7, \(JSON(text: found)), settled.clock() + interval '1 hour', 0)
        """)
    }
    try await find(athlete)
    let (erasing, importing) = (try await course.database.connect(), try await course.database.connect())
    try await erasing.execute("BEGIN")
    _ = try await erasing.query("SELECT racing.erase_athlete(\(athlete))")
    let kept = Task { try await importing.query(Self.write(athlete)).one(String?.self) }
    try await session.untilBlocked(by: erasing.backend())
    try await erasing.execute("COMMIT")
    let refusal = try await kept.value
    #expect(refusal == nil)
    #expect(try await tablesWithWord() == [])
    // The same import keeps it for somebody who is there.
    let other = try await course.athlete("Bea", pence: 0)
    try await find(other)
    let another = try await session.query(Self.write(other)).one(String?.self)
    #expect(another == nil)
    #expect(try await tablesWithWord() == ["racing.activity"])
    try await node.stop()
  }

  /// Writes what was read of the athlete's activity.
  private static func write(_ athlete: Int64) -> Statement {
    "SELECT strava.write_streams(id, settled.clock(), NULL) FROM strava.read_request WHERE athlete_id = \(athlete)"
  }

  @Test func `an erased athlete takes no money, profile, entry, connection, import or flag`() async throws {
    let (athlete, other) = (try await course.athlete("Needle", pence: 0), try await course.athlete("Bea", pence: 0))
    let activity = try await course.outing(other, stravaId: 8, at: "2031-06-02T08:00:00Z")
    let race = try await course.race()
    _ = try await session.query("SELECT racing.deposit(\(athlete), 500, 'before')")
    let withdrawal = try await session.query("SELECT (racing.withdraw(\(athlete), 500, 'w') ->> 'id')::bigint").one(
      Int64.self)
    _ = try await session.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    _ = try await erase("athlete", "\(athlete)")
    for call in [
      "deposit(\(athlete), 500, 'after')", #"update_athlete(\#(athlete), '{"displayName": "Needle"}')"#,
      "enter_race(\(athlete), \(race))", "connect_strava(\(athlete), 'code', 'scope')",
      "flag_activity(\(activity), \(athlete), 'other')",
      """
      import_activity(\(athlete), '{"stravaId": 9, "name": "Needle", "activityType": "Kayaking", "distance": 10,
        "startDate": "2031-06-01T10:00:00Z", "elapsedTime": 10, "movingTime": 10}')
      """,
    ] {
      let refused = await #expect(throws: PostgresError.self, "\(call)") {
        try await session.query("SELECT racing.\(raw: call)")
      }
      #expect(
        refused?.sqlState == "SD409" && refused?.detail?.contains(#""erased""#) == true,
        "\(call)")
    }
    // What was booked before is answered as it was.
    _ = try await session.query("SELECT racing.deposit(\(athlete), 500, 'before')")
    #expect(try await tablesWithWord() == [])
    try await node.stop()
  }

  @Test func `an athlete with a race that is not over cannot be erased`() async throws {
    let athlete = try await course.athlete("Needle", pence: 10_000)
    _ = try await course.enter(athlete, try await course.race())
    #expect(try await rule("athlete", "\(athlete)") == "race")
    let name = try await session.query("SELECT display_name FROM racing.athlete WHERE id = \(athlete)").one(String.self)
    #expect(name == "Needle")
    try await node.stop()
  }

  @Test func `an erased runner and user leaves points and counts of views`() async throws {
    try await session.script(
      """
      SELECT seasons.create_runner('Needle Ann', 2033, 'UA', true, true);
      SELECT seasons.earn_points(1, 'WORKOUT', 'w1', 'track', '2031', 'with Needle');
      SELECT seasons.create_user('needle', 'Needle Ann', 'runner', 1);
      SELECT seasons.create_user('coach', 'Coach', 'coach');
      SELECT seasons.create_team_talk('{"author": "needle", "season": "track", "year": "2031", "title": "t", "content": "c", "team": "UA"}');
      SELECT seasons.comment(uuid, 'needle', 'Needle was here'), seasons.react(uuid, 'needle', '+'),
        seasons.track_view(uuid, 'needle', 'Needle Ann', 'UA'), seasons.track_view(uuid, 'coach', 'Coach', 'UA')
      FROM seasons.team_talk;
      """)
    try await account("runner", .integer(1))
    let user = try await erase("user", "needle")
    #expect(user["erased"]?["views"] == 1 && user["erased"]?["comments"] == 1)
    let runner = try await erase("runner", "1")
    #expect(runner["erased"]?["accounts"] == 1)
    #expect(try await tablesWithWord() == [])
    #expect(try await session.query("SELECT points FROM seasons.runner").one(Int64.self) == 15)
    #expect(try await session.query("SELECT count(*) FROM seasons.view").one(Int64.self) == 2)
    #expect(try await node.ask("seasons.verify").contains(#""differences": []"#))
    try await node.stop()
  }

  @Test func `erasing a person keeps accounts of other people and those with another link`() async throws {
    try await session.script(
      """
      SELECT seasons.create_user('Needle', 'x', 'runner'), seasons.create_user('needle', 'y', 'runner');
      SELECT seasons.create_user('erased-1', 'z', 'runner');
      """)
    let athlete = try await course.athlete("Ann", pence: 0)
    _ = try await node.ask(
      "account.create",
      ["email": .text("c@example.org"), "username": .text("needle"), "athlete": .integer(athlete)])
    let capital = try await erase("user", "Needle")
    #expect(capital["erased"]?["accounts"] == 0)
    let byAthlete = try await erase("athlete", "\(athlete)")
    #expect(byAthlete["erased"]?["accounts"] == 0)
    let left = try await session.query("SELECT username, athlete_id FROM accounts.account").one(
      String?.self, Int64?.self)
    #expect(left == ("needle", nil))
    #expect(byAthlete["kept"]?.elements.last == "account 1, which is also linked to: user")
    #expect(try await erase("user", "needle")["erased"]?["accounts"] == 1)
    let names = try await session.query("SELECT username FROM seasons.app_user ORDER BY id").decode(String.self)
    #expect(names == ["erased-1-", "erased-2", "erased-1"])
    // Who is erased already keeps the stand-in.
    _ = try await erase("user", "erased-2")
    let again = try await session.query("SELECT username FROM seasons.app_user WHERE id = 2").one(String.self)
    #expect(again == "erased-2")
    try await node.stop()
  }

  @Test func `an erased user leaves no name in an account that is kept for another link`() async throws {
    try await session.script("SELECT seasons.create_user('needle', 'Needle', 'runner')")
    let athlete = try await course.athlete("Ann", pence: 0)
    _ = try await node.ask(
      "account.create",
      ["email": .text("a@example.org"), "username": .text("needle"), "athlete": .integer(athlete)])
    let answer = try await erase("user", "needle")
    #expect(answer["kept"]?.elements.last == "account 1, which is also linked to: athlete")
    #expect(try await tablesWithWord() == [])
    let name = try await session.query("SELECT display_name FROM accounts.account").one(String.self)
    #expect(name == "erased")
    try await node.stop()
  }

  @Test func `an erased moderator stays in decisions by number, and in no decision, event or kept answer by name`()
    async throws
  {
    let athlete = try await course.athlete("Ann", pence: 0)
    let activity = try await course.outing(athlete, stravaId: 7, at: "2031-06-02T08:00:00Z")
    _ = try await node.ask("account.create", ["email": .text("needle@example.org"), "username": .text("needle")])
    try await session.script(
      """
      INSERT INTO racing.review (activity_id, opened_at) VALUES (\(activity), now());
      SELECT racing.review_activity(\(activity), 'request_info', 'needle@example.org', 'as a former release did');
      SELECT settled.number_events(100);
      SELECT racing.review_activity(\(activity), 'request_info', 'account 1', '');
      SELECT racing.review_activity(\(activity), 'approve', 'needle', '');
      SELECT gateway.earlier_answer('c POST /x', 'k', 'f', '{account:1}'),
        gateway.keep_answer('c POST /x', 'k', 'f', '{"name": "Needle"}');
      """)
    let answer = try await erase("account", "1")
    #expect(answer["erased"]?["reviewers"] == 2 && answer["erased"]?["answers"] == 1, "\(answer)")
    #expect(answer["kept"]?.elements == ["decisions on activities, by account 1"])
    #expect(try await tablesWithWord() == [])
    let reviewers = try await session.query("SELECT reviewer FROM racing.decision ORDER BY id").decode(String.self)
    #expect(reviewers == ["erased", "account 1", "erased"])
    let event: Statement = """
      SELECT e.payload::text FROM (
        SELECT topic, payload FROM settled.event_pending UNION ALL SELECT topic, payload FROM settled.event
      ) AS e WHERE e.topic = 'review.decided'
      """
    let payload = try JSONValue(try await session.query(event).one(String.self))
    #expect(payload["reviewer"] == "erased" && payload["activityId"]?.integer == activity)
    try await node.stop()
  }

  @Test func `a person's kept answers go with each system, and a user's decisions without an account, too`()
    async throws
  {
    let athlete = try await course.athlete("Ann", pence: 0)
    let activity = try await course.outing(athlete, stravaId: 7, at: "2031-06-02T08:00:00Z")
    try await session.script(
      """
      SELECT seasons.create_user('needle', 'Needle', 'runner');
      INSERT INTO racing.review (activity_id, opened_at) VALUES (\(activity), now());
      SELECT racing.review_activity(\(activity), 'request_info', 'needle', '');
      INSERT INTO gateway.answer (digest, caller, fingerprint, answer, at) SELECT sha256(p::bytea),
          encode(sha256(convert_to('settled/' || p, 'UTF8')), 'hex'), 'f', '"Needle, by a former release"', now()
        FROM unnest('{username:needle,athlete:\(athlete)}'::text[]) AS p;
      SELECT gateway.earlier_answer('c POST /' || p, 'k', 'f', ARRAY[p]), gateway.keep_answer('c POST /' || p, 'k', 'f', '1')
        FROM unnest('{username:needle,athlete:\(athlete),athlete:\(athlete)0}'::text[]) AS p;
      """)
    let user = try await erase("user", "needle")
    #expect(user["erased"]?["answers"] == 4 && user["erased"]?["reviewers"] == 1, "\(user)")
    #expect(try await erase("athlete", "\(athlete)")["erased"]?["answers"] == 1)
    #expect(try await tablesWithWord() == [])
    let left = try await session.query("SELECT person FROM gateway.caller_person").decode(String.self)
    #expect(left == ["athlete:\(athlete)0"])
    try await node.stop()
  }

  @Test func `an erased reader and check-in user leaves counters and totals of days`() async throws {
    try await session.script(
      """
      SELECT achievements.create_user(5, 'Needle Ann');
      SELECT achievements.report_metric(5, 'books_read', 3, 'add', 'Needle-1');
      SELECT checkins.onboard('p1', 'Europe/London');
      SELECT checkins.submit('p1', '{"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1,
        "alcoholUnits": 0, "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}');
      """)
    try await account("reader", .integer(5))
    _ = try await node.ask("account.link", ["account": .text("needle@example.org"), "checkin": .text("p1")])
    let reader = try await erase("reader", "5")
    #expect(reader["erased"]?["reports"] == 1 && reader["erased"]?["accounts"] == 0)
    #expect(reader["kept"]?.serialized.contains("account 1") == true)
    let person = try await erase("checkin", "p1")
    #expect(person["erased"]?["checkIns"] == 1 && person["erased"]?["accounts"] == 1)
    #expect(try await tablesWithWord() == [])
    #expect(try await session.query("SELECT value FROM achievements.counter").one(Int64.self) == 3)
    let tallied: Statement = "SELECT sum(checked_in)::bigint FROM checkins.tally"
    #expect(try await session.query(tallied).one(Int64.self) == 1)
    let left: Statement = """
      SELECT (SELECT count(*) FROM checkins.entry) + (SELECT count(*) FROM checkins.streak)
      """
    #expect(try await session.query(left).one(Int64.self) == 0)
    // The person may start over.
    _ = try await session.query("SELECT checkins.summary('p1')")
    try await node.stop()
  }

  @Test(arguments: [
    ("athlete", "77", "athlete"), ("athlete", "x", "id"), ("nobody", "1", "kind"), ("user", "u", "user"),
  ])
  func `erasing needs a kind and an id that exist`(kind: String, id: String, expected: String) async throws {
    #expect(try await rule(kind, id) == expected)
    try await node.stop()
  }
}
