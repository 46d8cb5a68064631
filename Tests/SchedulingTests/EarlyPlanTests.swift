import Engine
import Postgres
import Scheduling
import TestSupport
import Testing

@Suite("A planner that starts before its instant", .timeLimit(.minutes(1))) struct EarlyPlanTests {
  @Test func `a run that starts before a tick plans it at its instant`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      """
      WITH tick AS (SELECT 'each-second' AS name, '* * * * * *' AS cron, date_trunc('second', clock_timestamp()) AS now),
      period AS (
        INSERT INTO settled.schedule_period (schedule, cron, zone, valid_from) SELECT name, cron, 'UTC', now FROM tick
      )
      INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
      SELECT name, cron, 'UTC', 'public.nothing()', 'once', '5 minutes', '0', now, now + interval '1 second' FROM tick
      """)
    let context = database.context(database.pool()) { _ in }
    let planner = SchedulePlanner(in: context)
    // Of each second, only the last 40 ms are used: the server waits for no instant that is further away.
    let tick = try await owner.query(
      """
      SELECT s.next_tick_at, pg_sleep(greatest(0, extract(epoch FROM s.next_tick_at - clock_timestamp()) - 0.04))::text
      FROM settled.schedule AS s
      """
    ).one(Timestamp.self, String.self).0
    let due = context.time.now() + .milliseconds(40)
    await planner.announce(ComingWork(planner.name, due: due, serverDue: tick))
    #expect(await planner.runDue(until: StopFlag(), due: due).items == 1)
    let planned = try await owner.query("SELECT instant FROM settled.occurrence").decode(Timestamp.self)
    #expect(planned.contains(tick), "\(planned)")
  }
}
