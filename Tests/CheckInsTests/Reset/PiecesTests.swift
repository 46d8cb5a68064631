import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import CheckIns

@Suite("A day closed in pieces", .timeLimit(.minutes(5))) struct PiecesTests {
  private static let small = StreakPiece.Limits(statement: 2, transaction: 3, milliseconds: 60_000)

  /// London: 3 people come on both days, 9 on the first alone, so that theirs end with the second. Lisbon: one of each.
  private static func world() async throws -> Habit {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    try await habit.onboard("present", "Europe/Lisbon")
    try await habit.onboard("absent", "Europe/Lisbon")
    try await habit.session.execute(
      "SELECT checkins.onboard('p' || n, 'Europe/London') FROM generate_series(1, 12) AS n")
    try await habit.session.execute(
      "SELECT checkins.submit(user_id, \(JSON(text: Habit.good))) FROM checkins.profile")
    try await habit.clock("2031-02-10T12:00:00Z")
    try await habit.reset()
    try await habit.session.execute(
      """
      SELECT checkins.submit(user_id, \(JSON(text: Habit.good))) FROM checkins.profile
      WHERE user_id IN ('p10', 'p11', 'p12', 'present')
      """)
    try await habit.clock("2031-02-11T00:00:00Z")
    return habit
  }

  /// The rows that are kept of the day are true: the streaks that have ended are those that are counted, in order,
  /// and none has that is not to.
  private static let differences: Statement = """
    SELECT z.name || ' counts ' || z.streaks_ended FROM checkins.zone AS z
      WHERE z.streaks_ended + coalesce((SELECT sum(d.streaks_ended) FROM checkins.day AS d WHERE d.zone = z.name), 0)
        <> (SELECT count(*) FROM checkins.streak AS s WHERE s.zone = z.name AND s.ended_at IS NOT NULL)
    UNION ALL
    SELECT 'streak ' || s.id FROM checkins.streak AS s JOIN checkins.zone AS z ON z.name = s.zone
      WHERE (s.ended_at IS NOT NULL)
        <> (s.ends_on < z.next_date OR s.ends_on = z.next_date AND s.id <= z.ended_id AND s.ends_on = z.ended_on)
    UNION ALL
    SELECT 'event ' || coalesce(e.key, d.zone || ' ' || d.date) FROM checkins.day AS d
      FULL JOIN settled.event_pending AS e ON e.key = d.zone || ' ' || d.date WHERE d.zone IS NULL OR e.key IS NULL
    """

  private static func run(_ habit: Habit, _ options: ConnectionOptions? = nil) async throws {
    let pool = Pool(
      options: options ?? habit.database.options(.daemon), size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
    _ = await JobRunner(DailyResetJob(limits: small), in: habit.database.context(pool)).runDue(
      until: StopFlag(), due: .zero)
    await pool.close()
  }

  @Test func `a day closed in pieces loses and doubles nothing, wherever it is interrupted`() async throws {
    var failAt = 1
    var partial = 0
    while true {
      let habit = try await Self.world()
      let fault = StatementFault(at: failAt)
      let options = fault.options(habit.database.options(.daemon))
      try await Self.run(habit, options)
      try await habit.session.waitUntilGone("tests daemon")
      #expect(try await habit.session.query(Self.differences).isEmpty, "statement \(failAt)")
      let progress = try await habit.session.query(
        "SELECT streaks_ended FROM checkins.zone WHERE name = 'Europe/London'"
      ).one(Int64.self)
      if progress > 0 { partial += 1 }
      // One whose turn came first, one whose turn comes last, and one who was there.
      for (user, shown) in [("p1", "0 1 2031-02-09"), ("p9", "0 1 2031-02-09"), ("p10", "2 2 2031-02-10")] {
        #expect(try await habit.streak(user) == shown, "\(user), statement \(failAt)")
      }
      for user in ["p1", "p9", "p10"] { #expect(try await habit.submit(user) == "2031-02-11") }
      #expect(try await habit.streak("p9") == "1 1 2031-02-11")
      #expect(try await habit.streak("p10") == "3 3 2031-02-11")
      // A person who flies off meanwhile takes no dead streak along.
      try await habit.move("p8", to: "Asia/Tokyo")
      #expect(try await habit.streak("p8") == "0 1 2031-02-09")

      try await habit.session.execute("DELETE FROM settled.failure")
      try await Self.run(habit)
      #expect(try await habit.session.query(Self.differences).isEmpty, "after statement \(failAt)")
      #expect(try await habit.days("Europe/London") == ["2031-02-09 12 0", "2031-02-10 3 9"], "statement \(failAt)")
      #expect(try await habit.days("Europe/Lisbon") == ["2031-02-09 2 0", "2031-02-10 1 1"], "statement \(failAt)")
      if !fault.wasMet { break }
      failAt += 1
    }
    print("daily reset in pieces, fault loop: \(failAt - 1) statements, \(partial) with a part of the day done")
    #expect(partial > 5)
    #expect(failAt > 20)
  }

  @Test func `a day closed in pieces lets a zone with few streaks go first`() async throws {
    let habit = try await Self.world()
    try await Self.run(habit)
    let closed = try await habit.session.query(
      "SELECT key FROM settled.event_pending WHERE key LIKE '%02-10' ORDER BY id"
    ).decode(String.self)
    #expect(closed == ["Europe/Lisbon 2031-02-10", "Europe/London 2031-02-10"])
  }

  @Test func `another node continues a day's closing when its daemon is killed between two pieces`() async throws {
    let habit = try await Habit(at: "2031-02-09T12:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    try await habit.session.execute(
      """
      INSERT INTO checkins.streak (profile_id, zone, started_on, last_on, length, ends_on)
      SELECT p.id, 'Europe/London', '2031-02-08', '2031-02-08', 1, '2031-02-09'
      FROM checkins.profile AS p, generate_series(1, 200000)
      """)
    let daemons = try (0..<2).map { try SettledProcess.daemon(habit.database, node: "piece-\($0)") }
    defer { for daemon in daemons { daemon.killHard() } }
    try await habit.clock("2031-02-10T00:00:00Z")
    let progress: Statement = "SELECT streaks_ended, (SELECT count(*) FROM checkins.day) FROM checkins.zone"
    try await untilTrue("a piece") { try await habit.session.query(progress).one(Int64.self, Int64.self).0 > 0 }
    daemons[0].killHard()
    #expect(try await daemons[0].exit() == .signal(SIGKILL))
    try await untilTrue("the closed day", within: .seconds(120)) {
      try await habit.session.query(progress).one(Int64.self, Int64.self).1 == 1
    }
    #expect(try await habit.days("Europe/London") == ["2031-02-09 0 200000"])
    #expect(
      try await habit.session.query("SELECT count(*) FROM checkins.streak WHERE ended_at IS NOT NULL").one(Int64.self)
        == 200_000)
    daemons[1].terminate()
    #expect(try await daemons[1].exit() == .code(0))
    try await habit.checkDays()
  }
}
