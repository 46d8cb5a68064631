import ControlAPI
import ControlClient
import Postgres
import TextCoding
import TestSupport

extension AnswersTests {
  /// Schedules of operators whose ticks ran, were coalesced, are missing, and were never asked for.
  static func schedules(_ questions: Questions, _ course: Course) async throws {
    try await course.session.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS SETOF integer LANGUAGE sql AS 'SELECT generate_series(1, 3)';
      """)
    try await questions.ask(
      .scheduleAdd,
      [
        "name": .text("hourly"), "cron": .text("0 * * * *"), "call": .text("ops.work"), "missed": .text("all"),
        "max": .integer(2), "within": .text("1d"),
      ], requestId: "answers-1")
    try await questions.ask(
      .scheduleAdd, ["name": .text("once"), "at": .text("2031-07-01T00:00:00Z"), "call": .text("ops.work")])
    for command in [CommandDescription.schedulePause, .scheduleResume] {
      try await questions.ask(command, ["name": .text("hourly")])
    }
    try await course.setClock("2031-06-02T13:00:01Z")
    try await questions.ask(.occurrences, ["name": .text("hourly"), "status": .text("skipped")], until: "hourly")
    try await questions.ask(.occurrences, ["name": .text("hourly"), "status": .text("ran")], until: "13:00:00.000Z")
    try await course.session.script(
      """
      DELETE FROM settled.occurrence WHERE schedule = 'hourly' AND instant = '2031-06-02T12:00:00Z';
      INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, finished_at)
      VALUES ('hourly', '2031-06-02T12:34:00Z', 'ran', '2031-06-02T12:34:00Z', '2031-06-02T12:34:00Z', '2031-06-02T12:34:01Z'),
        ('elsewhere', '2031-06-02T12:00:00Z', 'planned', '2031-06-02T12:00:00Z', '2031-06-02T12:00:00Z', NULL);
      """)
    try await questions.ask(.occurrences, ["name": .text("elsewhere")])
    let days = ["from": "2031-06-01T00:00:00Z", "to": "2031-06-04T00:00:00Z"].mapValues { ParameterValue.text($0) }
    try await questions.ask(
      .occurrencesDays, ["zone": .text("Europe/London"), "from": days["from"], "to": days["to"]])
    for cron in ["30 1 * * *", "0 0 29 2 *"] {
      try await questions.ask(
        .scheduleDays, ["cron": .text(cron), "zone": .text("Europe/London"), "from": days["from"], "to": days["to"]])
    }
    try await questions.ask(.auditSchedule, ["schedule": .text("hourly")], until: "12:34")
    for command in [CommandDescription.scheduleBackfillPreview, .scheduleBackfill] {
      try await questions.ask(
        command,
        ["name": .text("hourly"), "from": .text("2031-06-02T11:30:00Z"), "to": .text("2031-06-02T13:00:00Z")])
    }
    try await questions.ask(
      .schedulePreview,
      ["cron": .text("30 1 * * *"), "zone": .text("Europe/London"), "from": .text("2031-03-29T00:00:00Z")])
    try await questions.ask(
      .schedulePreview, ["cron": .text("0 0 29 2 *"), "zone": .text("UTC"), "count": .integer(100)])
    try await questions.ask(
      .zoneOffsets,
      [
        "zone": .text("Europe/London"), "from": .text("2031-03-29T00:00:00Z"), "to": .text("2031-04-01T00:00:00Z"),
      ])
    try await questions.ask(.scheduleList)
    try await questions.ask(.next)
    try await questions.ask(.scheduleRemove, ["name": .text("once")])
  }

  /// Few marks, and so many that they are counted.
  static func time(_ questions: Questions, _ course: Course) async throws {
    let days: KeyValuePairs<String, ParameterValue?> = [
      "from": .text("2031-06-02T00:00:00Z"), "to": .text("2031-06-06T00:00:00Z"),
    ]
    try await questions.ask(.timeline, days)
    try await questions.ask(.lateness, days)
    try await course.session.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, finished_at)
      SELECT 'elsewhere', i, 'ran', i, i, i
      FROM generate_series('2031-05-01T00:00:00Z'::timestamptz, '2031-05-01T00:40:00Z', '1 second') AS i
      """)
    try await questions.ask(
      .timeline, ["from": .text("2031-05-01T00:00:00Z"), "to": .text("2031-05-02T00:00:00Z")])
  }

  static func jobs(_ questions: Questions) async throws {
    for name in ["race-settlement", "ledger-audit"] {
      for command in [CommandDescription.jobPause, .jobResume, .jobRun] {
        try await questions.ask(command, ["name": .text(name)])
      }
    }
    try await questions.ask(.jobs)
  }

  /// Items of a job that no daemon here has: it neither tries nor forgets them.
  static func failures(_ questions: Questions, _ course: Course) async throws {
    let id = try await course.session.query(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, error, sql_state)
      VALUES ('elsewhere', '7', 3, '2031-06-01', '2031-06-02', '2031-06-03', 'it does not go', '40001') RETURNING id
      """
    ).one(Int64.self)
    try await questions.ask(.failures)
    try await questions.ask(.failureRetry, ["id": .integer(id)])
    try await questions.ask(.failureDrop, ["id": .integer(id), "reason": .text("nobody wants it")])
    try await questions.ask(.failures)
  }

  static func house(_ questions: Questions, _ course: Course) async throws {
    try await questions.ask(.settings)
    try await questions.ask(
      .set, ["key": .text("racing.flag_threshold"), "value": .text("4"), "reason": .text("fewer reviews")])
    try await questions.ask(.settings)
    try await questions.ask(
      .set, ["key": .text("racing.flag_threshold"), "value": .text("3")], requestId: "dashboard:answers-2")
    try await course.session.execute(
      """
      INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after)
      VALUES ('elsewhere', 4294967294, 1, 1, 'drain', 'drain', 'null', 'null')
      """)
    try await questions.ask(.auditLog)
    try await questions.ask(.auditLog, ["command": .text("set"), "uid": .integer(0), "limit": .integer(1)])
    try await course.session.script(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state)
      VALUES ('elsewhere', '0.1.0', clock_timestamp(), clock_timestamp(), 'ready');
      INSERT INTO settled.clock_hold (node, since, difference_milliseconds)
      VALUES ('elsewhere', clock_timestamp(), 3600000);
      """)
    try await questions.ask(.nodes)
    try await questions.ask(.doctor)
    try await questions.ask(.clockAccept, ["reason": .text("the server was set right")])
    try await course.session.script(
      """
      INSERT INTO settled.restoration (node, found_at, timeline, finding, jobs)
      VALUES ('elsewhere', clock_timestamp(), 1, 'it lacks what was there', '{race-settlement}');
      """)
    try await questions.ask(.restoreAccept, ["reason": .text("a backup was put back")])
  }

  /// What happens while somebody watches, with a job and without one; and a person who is forgotten.
  static func watch(_ questions: Questions, _ course: Course) async throws {
    var cursor = try JSONValue(try await questions.ask(.watch))["cursor"]?.text
    try await course.session.script(
      """
      SELECT settled.emit('day.closed', 'Europe/London 2031-06-01', '{}', settled.clock());
      SELECT settled.emit('race.cancelled', '77', '{}', settled.clock());
      """)
    var seen = ""
    while !seen.contains("race.cancelled") || !seen.contains("daily-reset") {
      let answer = try await questions.ask(.watch, ["after": cursor.map { .text($0) }])
      cursor = try JSONValue(answer)["cursor"]?.text
      seen += answer
    }
    let athlete = try await course.athlete(pence: 0)
    for (name, value) in [("dateOfBirth", "1990-01-31"), ("gender", "female")] {
      let unknown = try await course.athlete(born: nil, gender: nil, pence: 0)
      try await questions.ask(
        .personCorrect,
        [
          "kind": .text("athlete"), "id": .integer(unknown), "dateOfBirth": name == "gender" ? nil : .text(value),
          "gender": name == "gender" ? .text(value) : nil, "reason": .text("the athlete proved it"),
        ])
    }
    try await questions.ask(
      .personErase,
      ["kind": .text("athlete"), "id": .text("\(athlete)"), "reason": .text("the athlete asked for it")])
  }

  /// At last the groups are gone, and with them the right to ask more.
  static func node(_ questions: Questions, _ file: ConfigurationFile) async throws {
    try await questions.ask(.caller)
    for name in ["ledger-audit", "race-settlement"] {
      try await questions.ask(.jobPause, ["name": .text(name)])
      try await questions.ask(.status, until: "\(name): paused")
    }
    try await questions.ask(.drain)
    try await questions.ask(.status)
    try await questions.ask(.undrain)
    try await questions.ask(.reload)
    try file.write(node: "other", hasGroups: false)
    try await questions.ask(.reload)
  }
}
