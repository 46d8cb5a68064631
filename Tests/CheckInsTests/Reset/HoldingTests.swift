import Postgres
import TestSupport
import Testing

@Suite("A call that a midnight overtakes", .timeLimit(.minutes(1))) struct HoldingTests {
  @Test(arguments: [true, false])
  func `a check-in that midnight overtakes counts in its day, and only its own zone's closing waits`(commits: Bool)
    async throws
  {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    for (user, zone) in [("ann", "Europe/London"), ("bob", "Europe/Lisbon")] {
      try await habit.onboard(user, zone)
      try await habit.submit(user)
    }
    try await habit.clock("2031-02-10T23:59:59Z")
    #expect(try await habit.reset() == 2)
    let app = try await habit.database.connect(.app)
    try await app.transaction(commit: commits) { transaction in
      _ = try await transaction.query("SELECT checkins.submit('ann', \(JSON(text: Habit.good)))")
      try await habit.clock("2031-02-11T00:00:00Z")
      try await habit.reset()
      #expect(try await habit.days("Europe/Lisbon") == ["2031-02-09 1 0", "2031-02-10 0 1"])
      #expect(try await habit.days("Europe/London") == ["2031-02-09 1 0"])
      // A person who checks in now is not delayed, and belongs to the new day.
      #expect(try await habit.submit("bob") == "2031-02-11")
    }
    #expect(try await habit.reset() == 1)
    #expect(try await habit.days("Europe/London") == ["2031-02-09 1 0", commits ? "2031-02-10 1 0" : "2031-02-10 0 1"])
    #expect(try await habit.streak("ann") == (commits ? "2 2 2031-02-10" : "0 1 2031-02-09"))
    try await habit.checkDays()
  }

  @Test func `a flight into a zone registers its streak before that zone's day is closed`() async throws {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    try await habit.onboard("bob", "Europe/Lisbon")
    try await habit.submit("ann")
    try await habit.clock("2031-02-10T23:59:59Z")
    try await habit.reset()
    let app = try await habit.database.connect(.app)
    try await app.transaction { transaction in
      _ = try await transaction.query(#"SELECT checkins.update_profile('ann', '{"timezone": "Europe/Lisbon"}')"#)
      try await habit.clock("2031-02-11T00:00:00Z")
      try await habit.reset()
      #expect(try await habit.session.query("SELECT count(*) FROM checkins.day").one(Int64.self) == 2)
    }
    try await habit.reset()
    #expect(try await habit.days("Europe/London") == ["2031-02-09 1 0", "2031-02-10 0 0"])
    #expect(try await habit.days("Europe/Lisbon") == ["2031-02-09 0 0", "2031-02-10 0 1"])
  }

  /// Every advisory key that can be derived from names and dates, and one that covers nothing else.
  @Test func `advisory locks of other roles delay neither a check-in nor the closing of its day`() async throws {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    let conflict = try await habit.database.connect(.app)
    try await conflict.transaction { transaction in
      for date in ["2031-02-09", "2031-02-10", "2031-02-11"] {
        try await transaction.execute(
          "SELECT pg_advisory_xact_lock(hashtextextended(\("checkins.day Europe/London \(date)"), 0))")
      }
      try await habit.session.execute("SET lock_timeout = '10s'")
      try await habit.submit("ann")
      try await habit.clock("2031-02-10T00:00:00Z")
      #expect(try await habit.reset() == 1)
      #expect(try await habit.submit("ann") == "2031-02-10")
    }
    #expect(try await habit.days("Europe/London") == ["2031-02-09 1 0"])
  }

  @Test func `a check-in that waits for its lock past midnight counts in the new day only`()
    async throws
  {
    let habit = try await Habit(at: "2031-02-09T23:59:59Z")
    for user in ["ann", "bob"] { try await habit.onboard(user, "Europe/London") }
    let holder = try await habit.database.connect()
    let app = try await habit.database.connect(.app)
    let pid = try await app.query("SELECT pg_backend_pid()").one(Int32.self)
    let submitted = try await holder.transaction { transaction in
      // As if a call of the same shard were at work.
      try await transaction.execute(
        "INSERT INTO checkins.tally VALUES ('Europe/London', '2031-02-09', \(pid) % 32, 1) ON CONFLICT DO NOTHING")
      try await transaction.execute(
        "SELECT FROM checkins.tally WHERE date = '2031-02-09' AND shard = \(pid) % 32 FOR UPDATE")
      let submitted = Task {
        try await app.query("SELECT checkins.submit('bob', \(JSON(text: Habit.good)))->'today'->>'date'").one(
          String.self)
      }
      try await untilTrue("bob waits") {
        try await habit.session.query("SELECT cardinality(pg_blocking_pids(\(pid))) > 0").one(Bool.self)
      }
      try await habit.clock("2031-02-10T00:00:00Z")
      return submitted
    }
    #expect(try await submitted.value == "2031-02-10")
    #expect(try await habit.reset() == 1)
    #expect(
      try await habit.session.query("SELECT count(*) FROM checkins.tally WHERE date = '2031-02-09'").one(Int64.self)
        == 0)
    try await habit.checkDays()
  }
}
