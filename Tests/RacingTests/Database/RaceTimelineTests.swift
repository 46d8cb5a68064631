import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("Races on the timeline") struct RaceTimelineTests {
  private func marks(_ course: Course, _ from: String, _ to: String) async throws -> [String] {
    let command = try #require(
      TimelineHandlers(RacingModule().timeline).commands.first { $0.name == "timeline" })
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil,
      values: ["from": .text(from), "to": .text(to)])
    let dispatcher = CommandDispatcher([command], pool: course.database.pool(), node: "one")
    let answer = try JSONValue(try await dispatcher.run(command, call))
    return (answer["marks"]?.elements ?? []).map { mark in
      ["lane", "at", "until", "key", "count", "pence", "outcome"].map { mark[$0]?.serialized ?? "?" }
        .joined(separator: " ").replacing("\"", with: "").replacing("2031-06-", with: "").replacing(
          ":00.000Z", with: "")
    }
  }

  @Test func `a race is to come, held, settled or cancelled on the timeline, with its entries and its money`()
    async throws
  {
    let course = try await Course()
    let (race, other) = (try await course.race(), try await course.race(type: "furthest_distance"))
    for name in ["Ann", "Bob"] {
      let athlete = try await course.athlete(name)
      _ = try await course.enter(athlete, race)
    }
    let day = ("2031-06-03T00:00:00Z", "2031-06-05T00:00:00Z")
    #expect(
      try await marks(course, day.0, day.1) == [
        "races 04T01:00 null \(race) 2 200 pending", "races 04T01:00 null \(other) 0 0 pending",
      ])
    try await course.session.script(
      """
      SET session_replication_role = replica;
      UPDATE racing.race SET status = 'ended', next_check_at = due_at + interval '5 hours', waiting_activities = '{5}'
        WHERE id = \(race);
      UPDATE racing.race SET status = 'cancelled' WHERE id = \(other);
      INSERT INTO racing.review (activity_id, opened_at) VALUES (5, '2031-06-03T12:00:00Z'), (6, '2031-06-05T00:00:00Z');
      SET session_replication_role = DEFAULT;
      """)
    #expect(
      try await marks(course, day.0, day.1) == [
        "holds 03T12:00 null 5 1 null held", "races 04T00:00 null \(other) 0 null skipped",
        "holds 04T01:00 04T06:00 \(race) 1 200 held", "races 04T06:00 null \(race) 2 200 held",
      ])
    try await course.session.execute(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      VALUES ('race-settlement', \("\(race)"), 1, now(), now(), now(), false, 'no')
      """)
    #expect(try await marks(course, "2031-06-04T06:00:00Z", day.1).last?.hasSuffix("failed") == true)
    try await course.session.script(
      """
      SET session_replication_role = replica;
      UPDATE racing.race SET status = 'settled', waiting_activities = '{}' WHERE id = \(race);
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, input_hash, counted_activities, held_activities)
      VALUES (\(race), 1, 'paid', '2031-06-04T06:00:02Z', 200, 2, 198, '', '{}', '{}'),
        (\(race), 2, 'paid', '2031-06-04T07:00:02Z', 200, 2, 198, '', '{}', '{}');
      SET session_replication_role = DEFAULT;
      """)
    let settled = try await marks(course, "2031-06-04T05:00:00Z", day.1)
    #expect(settled.last == "races 04T06:00:02.000Z null \(race) 2 200 done", "\(settled)")
    #expect(settled.count { $0.hasPrefix("races") } == 1)
  }

  /// Races a minute apart, of each status a quarter.
  private static func world(_ count: Int) async throws -> Course {
    let course = try await Course()
    try await course.session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at)
      SELECT 'top_speed', 'daily', 'senior_men', at, at + interval '1 day', at + interval '25 hours',
        at + interval '25 hours', 100, 1, '{75,20,5}', '3 hours', '72 hours',
        (ARRAY['upcoming', 'ended', 'settled', 'cancelled'])[g % 4 + 1], at
      FROM generate_series(1, \(count)) AS g, LATERAL (
        SELECT settled.clock() - interval '80 days' + g * interval '1 minute') AS t(at);
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, input_hash, counted_activities, held_activities)
      SELECT id, 1, 'void', due_at, 0, 0, 0, '', '{}', '{}' FROM racing.race WHERE status = 'settled';
      SET session_replication_role = DEFAULT;
      """)
    for table in ["racing.race", "racing.settlement"] {
      try await course.session.execute("VACUUM ANALYZE \(raw: table)")
    }
    return course
  }

  @Test func `marks of a range are read along indexes among a hundred times as many races`() async throws {
    var touched: [[Int]] = []
    for size in [1000, 100_000] {
      let course = try await Self.world(size)
      let from = try await course.session.query("SELECT settled.clock() - interval '79 days'").one(Timestamp.self)
      let range = InstantRange(from: from, to: Timestamp(microseconds: from.microseconds + 6 * 3_600_000_000))
      var costs: [Int] = []
      for statement in [RaceTimeline.settled(range), RaceTimeline.due(range), RaceTimeline.cancelled(range)] {
        costs.append(try await course.session.pagesTouched(statement))
      }
      for money in RaceMoney.all {
        costs.append(try await course.session.pagesTouched(money.ofItems(["1", "2", "x"])))
      }
      // All are over: nothing is due, and nothing is read.
      try await course.session.script(
        """
        SET session_replication_role = replica;
        UPDATE racing.race SET status = 'cancelled' WHERE status IN ('upcoming', 'ended');
        SET session_replication_role = DEFAULT;
        """)
      try await course.session.execute("VACUUM ANALYZE racing.race")
      for money in RaceMoney.all { costs.append(try await course.session.pagesTouched(money.due)) }
      touched.append(costs)
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 400, "\(touched)") }
  }

  @Test func `due, ended and ordered races hold the fees of their entries, and settled ones none`() async throws {
    let course = try await Course()
    let (race, other) = (try await course.race(), try await course.race(type: "furthest_distance"))
    for name in ["Ann", "Bob", "Cid"] { _ = try await course.enter(try await course.athlete(name), race) }
    let due = { (job: String) in
      let money = try #require(RaceMoney.all.first { $0.job == job })
      return try await course.session.query(money.due).one(Int64.self)
    }
    #expect(try await due("race-settlement") == 0)
    try await course.session.script(
      """
      UPDATE racing.race SET status = 'active' WHERE id = \(race);
      INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at)
        VALUES (\(race), 'cancel', false, settled.clock());
      """)
    #expect(try await due("race-orders") == 300)
    try await course.setClock("2031-06-04T02:00:00Z")
    #expect(try await due("race-lifecycle") == 300)
    #expect(try await due("race-orders") == 0, "a race is counted once")
    try await course.session.script("UPDATE racing.race SET status = 'ended' WHERE id = \(race)")
    #expect(try await due("race-settlement") == 300)
    #expect(try await due("race-lifecycle") == 0)
    let items = RaceMoney.ofRaces(["\(race)", "\(other)", "no number"])
    let held = try await course.session.query(items).decode(String.self, Int64.self)
    #expect(Dictionary(uniqueKeysWithValues: held) == ["\(race)": 300, "\(other)": 0])
    try await course.session.script("UPDATE racing.race SET status = 'settled' WHERE id = \(race)")
    #expect(try await course.session.query(items).decode(String.self, Int64.self).map(\.1).reduce(0, +) == 0)
    let jobs = Set(RaceMoney.all.map(\.job))
    #expect(jobs == RacingModule().moneyJobs)
  }
}
