import ControlAPI
import ControlClient
import Postgres
import TestSupport

extension AnswersTests {
  private static let reason = ParameterValue.text("looked at")

  /// Races that are held for reviews and then settled, that wait, that are void, that are cancelled.
  static func races(_ questions: Questions, _ course: Course) async throws {
    let settled = try await course.race()
    let waiting = try await course.race(type: "furthest_distance")
    let cancelled = try await course.race(type: "fastest_1km")
    var athletes: [Int64] = []
    for index in 1...4 {
      let athlete = try await course.athlete("Athlete \(index)")
      for race in [settled, waiting, cancelled] { _ = try await course.enter(athlete, race) }
      athletes.append(athlete)
    }
    let idle = try await course.athlete("Idle")
    let void = try await course.race(type: "fastest_5km")
    for race in [settled, void] { _ = try await course.enter(idle, race) }
    try await questions.ask(.raceCancel, ["id": .integer(cancelled), "reason": reason])
    try await course.setClock("2031-06-03T12:00:00Z")
    var activities: [Int64] = []
    for (index, athlete) in athletes.enumerated() {
      activities.append(try await course.outing(athlete, stravaId: Int64(index + 1), maxSpeed: "\(6 - index)"))
    }
    let ride = try await course.outing(idle, stravaId: 99, type: "Ride")
    let bare = try await nothingMeasured(idle, course)
    let implausible = try await implausible(course)
    try await validated(course)
    try await course.session.execute(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      VALUES ('race-settlement', \("\(settled)"), 5, now(), now(), now(), true, 'it does not go')
      """)
    try await questions.ask(.failures)
    try await course.session.execute("DELETE FROM settled.failure WHERE job = 'race-settlement'")
    try await flag(activities[0], course)
    try await flag(activities[2], times: 1, notes: nil, course)
    try await questions.ask(.reviewList, until: #""open""#)
    // An instant of its own, so that what falls due for this review has one.
    try await course.setClock("2031-06-03T12:00:01Z")
    try await flag(activities[1], course)
    try await questions.ask(.next, ["limit": .integer(500)], until: #""job": "flag-escalation", "key": ""#)
    for activity in [ride, bare, implausible] { try await questions.ask(.reviewShow, ["id": .integer(activity)]) }

    // A claim that nobody answers is held beside what is under review.
    let claim = JSON(
      text: """
        {"stravaId": 77, "name": "Out", "activityType": "Kayaking", "startDate": "2031-06-03T10:00:00Z",
         "elapsedTime": 60, "movingTime": 60, "distance": 100}
        """)
    let claimed = try await course.session.query("SELECT racing.claim_activity(\(athletes[2]), \(claim))").one(
      Int64.self)
    try await course.setClock("2031-06-04T01:00:01Z")
    try await questions.ask(.raceShow, ["id": .integer(settled), "explain": .boolean(true)], until: #""review""#)
    _ = try await course.session.query("SELECT racing.reject(ARRAY[\(claimed)])")
    try await questions.ask(.racePreview, ["id": .integer(settled)])
    try await questions.ask(.reviewShow, ["id": .integer(activities[0])])
    try await questions.ask(.raceSettle, ["id": .integer(settled), "override": .boolean(true), "reason": reason])
    try await questions.ask(.raceShow, ["id": .integer(void)], until: #""status": "settled""#)
    try await questions.ask(.reviewShow, ["id": .integer(ride)])
    try await questions.ask(.raceShow, ["id": .integer(settled), "explain": .boolean(true)])
    try await lists(questions, course, athletes: [athletes[3], idle], activities: [activities[0], bare])
    try await orders(about: [settled, cancelled], course)
    for race in [settled, cancelled] { try await questions.ask(.raceShow, ["id": .integer(race)]) }
    try await questions.ask(.reviewShow, ["id": .integer(activities[0])])
    try await questions.ask(.reviewRequestInfo, ["id": .integer(activities[0]), "reason": reason])
    try await questions.ask(.reviewList)
    try await questions.ask(.reviewApprove, ["id": .integer(activities[0]), "reason": reason])
    // Somebody asks for a review of the rejected ride when its races are settled.
    try await course.session.execute(
      "INSERT INTO racing.review (activity_id, opened_at) VALUES (\(ride), settled.clock())")
    try await questions.ask(.reviewApprove, ["id": .integer(ride), "reason": reason])
    try await questions.ask(.reviewShow, ["id": .integer(activities[1])])
    try await questions.ask(.reviewDisqualify, ["id": .integer(activities[1]), "reason": reason])
    try await questions.ask(
      .reviewOverrule, ["id": .integer(activities[1]), "decision": .text("approve"), "reason": reason])
    // An athlete deletes at the provider what is under review, and it is forgotten a day later.
    try await course.session.execute(
      "UPDATE racing.activity SET deleted_at = settled.clock(), forgotten_at = settled.clock() WHERE id = \(implausible)"
    )
    try await questions.ask(.reviewShow, ["id": .integer(implausible)])
    try await questions.ask(.activityShow, ["id": .integer(implausible)])
    try await questions.ask(.activityShow, ["id": .integer(activities[1])])
    // What took its place closed the flag of an activity, without notes and without a decision.
    try await course.session.execute(
      "UPDATE racing.flag SET closed_at = settled.clock(), closed_content = '' WHERE activity_id = \(activities[2])")
    for activity in activities + [ride] { try await questions.ask(.reviewShow, ["id": .integer(activity)]) }
    try await questions.ask(.reviewList)
  }

  /// An order that a rule refused, and one that no job may begin yet.
  private static func orders(about races: [Int64], _ course: Course) async throws {
    try await course.session.script(
      """
      INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at, finished_at, rule, refusal)
      VALUES (\(races[0]), 'settle', false, settled.clock(), settled.clock(), 'status', 'it is settled');
      INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at)
      VALUES (\(races[1]), 'cancel', false, settled.clock() + interval '50 years');
      """)
  }

  /// A bicycle's file in a race of its own.
  private static func implausible(_ course: Course) async throws -> Int64 {
    let athlete = try await course.athlete("Fast")
    _ = try await course.enter(athlete, try await course.race(duration: "weekly"))
    return try await course.outing(athlete, stravaId: 97, maxSpeed: "21.5")
  }

  /// An activity without places and without a speed.
  private static func nothingMeasured(_ athlete: Int64, _ course: Course) async throws -> Int64 {
    let activity = """
      {"stravaId": 98, "name": "Indoors", "activityType": "Kayaking", "startDate": "2031-06-03T08:00:00Z",
       "elapsedTime": 1800, "movingTime": 1800, "distance": 6000}
      """
    return try await course.session.query("SELECT racing.import_activity(\(athlete), \(JSON(text: activity)))")
      .one(Int64.self)
  }

  private static func validated(_ course: Course) async throws {
    try await untilTrue("the validation") {
      try await course.session.query("SELECT count(*) FROM racing.activity WHERE status = 'pending'")
        .one(Int64.self) == 0
    }
  }

  private static func flag(
    _ activity: Int64, times: Int = 3, notes: String? = "no water", _ course: Course
  ) async throws {
    for index in 1...times {
      let user = try await course.session.query(
        "SELECT racing.create_athlete(\("Spectator \(index)"), user_type => 'spectator')"
      ).one(Int64.self)
      _ = try await course.session.query("SELECT racing.flag_activity(\(activity), \(user), 'other', \(notes))")
    }
  }

  /// Withdrawals that end, and books that somebody above the guards has spoilt.
  static func money(_ questions: Questions, _ course: Course) async throws {
    let athlete = try await course.athlete("Banker")
    try await books(questions, course, athlete)
    for (key, command) in [("a", CommandDescription.withdrawalComplete), ("b", .withdrawalFail)] {
      let withdraw: Statement = "SELECT (racing.withdraw(\(athlete), 400, \(key))->>'id')::bigint"
      let id = try await course.session.query(withdraw).one(Int64.self)
      try await questions.ask(
        command, ["id": .integer(id), "reason": command.parameter("reason") == nil ? nil : reason])
    }
    try await questions.ask(.withdrawalsStop, ["reason": reason])
    try await questions.ask(.withdrawalsResume, ["reason": reason])
    try await questions.ask(.jobRun, ["name": .text("ledger-audit")])
    try await questions.ask(.ledgerVerify, until: #""keptHead": {"#)
    try await questions.ask(.ledgerHead, until: #""verifiedAt": "2"#)
    for id in [1, 2] as [Int64] { try await questions.ask(.ledgerJournal, ["id": .integer(id)]) }
    try await course.session.script(
      """
      SET session_replication_role = replica;
      UPDATE racing.journal SET description = 'altered' WHERE id = 1;
      UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 1;
      SET session_replication_role = DEFAULT;
      """)
    try await questions.ask(.ledgerVerify)
  }
}

extension AnswersTests {
  /// Points of a season, of a runner and of nobody's that somebody above the functions has spoilt.
  static func points(_ questions: Questions, _ course: Course) async throws {
    try await questions.ask(.seasonsStatus)
    for job in ["reward-check", "view-rollup"] { try await questions.ask(.jobPause, ["name": .text(job)]) }
    try await course.session.script(
      """
      SELECT seasons.create_runner('Ann', 2032, 'UA', true, true);
      SELECT seasons.earn_points(1, 'WORKOUT', 'one', 'xc', '2031');
      SELECT seasons.create_reward('{"season": "xc", "year": 2031, "description": "Pizza", "pointThreshold": 100,
        "displayOrder": 1}');
      """)
    try await course.session.script(
      """
      INSERT INTO seasons.uncounted_view (id, talk_id, user_id, display_name, viewed_at)
        VALUES (1, 1, 1, 'Ann', settled.clock());
      """)
    try await questions.ask(.seasonsStatus)
    try await course.session.execute("DELETE FROM seasons.uncounted_view")
    for job in ["reward-check", "view-rollup"] { try await questions.ask(.jobResume, ["name": .text(job)]) }
    try await questions.ask(.seasonsVerify)
    try await course.session.script(
      """
      UPDATE seasons.runner SET points = 16;
      UPDATE seasons.seasonal_total SET points = 14;
      UPDATE seasons.reward SET achieved_date = now();
      """)
    try await questions.ask(.seasonsVerify)
    try await questions.ask(.seasonsStatus)
  }
}
