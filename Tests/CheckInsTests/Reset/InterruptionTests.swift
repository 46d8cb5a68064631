import Engine
import CheckIns
import Foundation
import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("Closing days", .timeLimit(.minutes(5))) struct InterruptionTests {
  private static let zones = ["Europe/London", "Europe/Lisbon", "Africa/Abidjan", "Asia/Tokyo"]

  /// The writes of one transaction belong together: a closed day has its event and its zone has moved on; the streaks
  /// that ended by then are ended, and no others; and nothing counts for it any more.
  private static let halves: Statement = """
    SELECT 'event ' || coalesce(e.key, d.zone || ' ' || d.date) FROM checkins.day AS d
      FULL JOIN settled.event_pending AS e ON e.key = d.zone || ' ' || d.date WHERE d.zone IS NULL OR e.key IS NULL
    UNION ALL
    SELECT 'zone ' || z.name FROM checkins.zone AS z
      LEFT JOIN (SELECT zone, max(date) AS last FROM checkins.day GROUP BY zone) AS d ON d.zone = z.name
      WHERE z.next_date <> coalesce(d.last + 1, '2031-02-09')
    UNION ALL
    SELECT 'streak ' || s.id FROM checkins.streak AS s JOIN checkins.zone AS z ON z.name = s.zone
      WHERE (s.ended_at IS NOT NULL) <> (s.ends_on < z.next_date)
    UNION ALL
    SELECT 'tally ' || t.zone FROM checkins.tally AS t JOIN checkins.zone AS z ON z.name = t.zone
      WHERE t.date < z.next_date
    """

  private static func world() async throws -> Habit {
    let habit = try await Habit(at: "2031-02-09T02:00:00Z")
    for (number, zone) in zones.enumerated() {
      for person in 0...number {
        try await habit.onboard("\(zone) \(person)", zone)
        try await habit.submit("\(zone) \(person)")
      }
    }
    try await habit.clock("2031-02-10T02:00:00Z")
    for zone in zones { try await habit.submit("\(zone) 0") }
    try await habit.clock("2031-02-12T02:00:00Z")
    return habit
  }

  @Test(arguments: ["57P01", "XX000", "40P01"])
  func `closing days is complete or has not happened, at whichever statement it fails`(
    sqlState: String
  ) async throws {
    var failAt = 1
    while true {
      let habit = try await Self.world()
      let fault = StatementFault(at: failAt, sqlState: sqlState)
      let options = fault.options(habit.database.options(.daemon))
      let faulty = Pool(options: options, size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
      _ = await JobRunner(DailyResetJob(), in: habit.database.context(faulty)).runDue(until: StopFlag(), due: .zero)
      await faulty.close()
      // The locks of a lost connection are free when the server has noticed.
      try await habit.session.waitUntilGone("tests daemon")
      #expect(try await habit.session.query(Self.halves).isEmpty, "statement \(failAt)")
      try await habit.session.execute("DELETE FROM settled.failure")
      try await habit.reset()
      #expect(try await habit.session.query(Self.halves).isEmpty, "after statement \(failAt)")
      #expect(
        try await habit.days("Asia/Tokyo") == ["2031-02-09 4 0", "2031-02-10 1 3", "2031-02-11 0 1"],
        "statement \(failAt)")
      #expect(try await habit.days("Europe/London") == ["2031-02-09 1 0", "2031-02-10 1 0", "2031-02-11 0 1"])
      if !fault.wasMet { break }
      failAt += 1
    }
    print("daily reset, fault loop (\(sqlState)): \(failAt - 1) statements")
    #expect(failAt > 15)
  }

  @Test func `a zone that cannot be closed delays no other zone, and is closed once it can`() async throws {
    let habit = try await Self.world()
    try await habit.session.execute(
      "ALTER TABLE checkins.day ADD CONSTRAINT broken CHECK (zone <> 'Europe/Lisbon') NOT VALID")
    try await habit.reset()
    #expect(try await habit.days("Europe/Lisbon") == [])
    for zone in Self.zones where zone != "Europe/Lisbon" { #expect(try await habit.days(zone).count == 3, "\(zone)") }
    let failed = try await habit.session.query("SELECT job || ' ' || key FROM settled.failure").one(String.self)
    #expect(failed == "daily-reset Europe/Lisbon")
    try await habit.session.execute("ALTER TABLE checkins.day DROP CONSTRAINT broken")
    try await habit.session.execute("UPDATE settled.failure SET next_attempt_at = last_at")
    try await habit.reset()
    #expect(try await habit.days("Europe/Lisbon") == ["2031-02-09 2 0", "2031-02-10 1 1", "2031-02-11 0 1"])
    #expect(try await habit.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
  }

  @Test func `a sleeping node learns of a zone's first profile without a sweep`() async throws {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    let node = TestNode(habit.database)
    try await node.untilAsleep()
    try await habit.onboard("ann", "Europe/London")
    try await within(.seconds(20), "a look at the new zone") {
      await node.until {
        if case .polled(let look) = $0 { look.items["daily-reset"]?.dueAt != nil } else { false }
      }
    }
    try await node.stop()
  }

  @Test func `two daemons that are killed again and again close each day of every zone once, in order`() async throws {
    var random = SeededGenerator()
    // After a kill items are taken one by one: a few hundred zones times a few days.
    let habit = try await Habit(at: "2024-03-26T12:00:00Z")
    try await habit.session.execute("SELECT checkins.onboard('of ' || name, name) FROM settled.time_zone")
    try await habit.session.execute(
      "SELECT checkins.submit('of ' || name, \(JSON(text: Habit.good))) FROM settled.time_zone")
    var daemons = try (0..<2).map { try SettledProcess.daemon(habit.database, node: "killed-\($0)") }
    var days: Int64 = 0
    for round in 0..<10 {
      let hours = Int64.random(in: 1...(round.isMultiple(of: 3) ? 120 : 30), using: &random)
      try await habit.session.execute("SELECT settled.set_clock(settled.clock() + \(hours) * interval '1 hour')")
      let closed: Statement = "SELECT count(*) FROM checkins.day"
      let due = try await habit.session.query("SELECT count(*) FROM checkins.zone WHERE next_at <= settled.clock()")
        .one(Int64.self)
      let target = days + Int64.random(in: 0...(due / 2), using: &random)
      try await untilTrue("\(target) closed days, \(random)") {
        try await habit.session.query(closed).one(Int64.self) >= target
      }
      let victim = Int.random(in: 0..<2, using: &random)
      daemons[victim].killHard()
      #expect(try await daemons[victim].exit() == .signal(SIGKILL))
      daemons[victim] = try SettledProcess.daemon(habit.database, node: "killed-\(victim)")
      days = try await habit.session.query(closed).one(Int64.self)
    }
    let due: Statement = "SELECT count(*) FROM checkins.zone WHERE next_at <= settled.clock()"
    try await untilTrue("the last day, \(random)", within: .seconds(180)) {
      try await habit.session.query(due).one(Int64.self) == 0
    }
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons { #expect(try await daemon.exit() == .code(0)) }
    try await habit.checkDays()
    let totals = try await habit.session.query(
      """
      SELECT concat_ws(' ', sum(checked_in) = (SELECT count(*) FROM checkins.zone),
        sum(streaks_ended) = (SELECT count(*) FROM checkins.zone), (SELECT count(*) FROM settled.failure WHERE quarantined))
      FROM checkins.day
      """
    ).one(String.self)
    #expect(totals == "t t 0", "\(random)")
  }
}
