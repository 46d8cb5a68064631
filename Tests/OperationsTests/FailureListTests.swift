@testable import Operations
import ControlAPI
import Postgres
import TestSupport
import Testing

@Suite("The list of failures")
struct FailureListTests {
  /// Every third one is quarantined.
  private static func world(_ count: Int) async throws -> Connection {
    let session = try await SettledDatabase.simulated().connect()
    try await session.script(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      SELECT 'a', g::text, 5, now, now, now, g % 3 = 0, 'planted'
      FROM generate_series(1, \(count)) AS g, clock_timestamp() AS now;
      ANALYZE settled.failure;
      """)
    return session
  }

  private static func page(_ session: Connection, _ values: [String: ParameterValue]) async throws -> [(Int64, Bool)] {
    let command = try #require(FailureHandlers(moneyJobs: []).commands.first { $0.name == "failures" })
    guard case .read(let read) = command.effect else { return [] }
    let call = CommandCall(caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil, values: values)
    let page = try await session.transaction { try await read(call, $0) }
    return try await session.query(
      """
      SELECT (f ->> 'id')::bigint, (f ->> 'quarantined')::boolean
      FROM jsonb_array_elements(\(page)) WITH ORDINALITY AS l(f, n) ORDER BY n
      """
    ).decode(Int64.self, Bool.self)
  }

  @Test func `the list of failures has stable pages, with quarantined items first`()
    async throws
  {
    let session = try await Self.world(20)
    let all = try await Self.page(session, [:]).map(\.0)
    #expect(all == [3, 6, 9, 12, 15, 18] + (1...20).filter { $0 % 3 != 0 })
    for limit in [1, 6, 7] as [Int64] {
      var (seen, last) = ([Int64](), (Int64, Bool)?.none)
      while true {
        var values: [String: ParameterValue] = ["limit": .integer(limit)]
        if let last {
          values["after"] = .integer(last.0)
          values["quarantined"] = .boolean(last.1)
        }
        let page = try await Self.page(session, values)
        guard let end = page.last else { break }
        seen += page.map(\.0)
        last = end
      }
      #expect(seen == all, "pages of \(limit)")
    }
    try await session.execute("DELETE FROM settled.failure WHERE id IN (6, 7)")
    let after: [String: ParameterValue] = [
      "after": .integer(6), "quarantined": .boolean(true), "limit": .integer(2),
    ]
    #expect(try await Self.page(session, after).map(\.0) == [9, 12])
    #expect(try await Self.page(session, ["after": .integer(7), "limit": .integer(2)]).map(\.0) == [8, 10])
    await #expect(throws: CommandError.self) { try await Self.page(session, ["limit": .integer(1001)]) }
  }

  @Test func `a schedule that fails at each tick is among the failures, and is neither retried nor dropped`()
    async throws
  {
    let session = try await Self.world(2)
    try await session.script(
      """
      INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
        VALUES ('nightly', '0 3 * * *', 'UTC', 'public.f()', 'once', '5 minutes', '0', '2031-06-03T03:00:00Z',
          '2031-06-04T03:00:00Z'),
        ('good', '0 3 * * *', 'UTC', 'public.g()', 'once', '5 minutes', '0', '2031-06-03T03:00:00Z', NULL);
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
        SELECT s, i, CASE WHEN s = 'good' OR i < '2031-06-02' THEN 'ran' ELSE 'failed' END,
          CASE WHEN s = 'good' OR i < '2031-06-02' THEN NULL ELSE 'boom' END, i, i, i + interval '1 second'
        FROM unnest('{nightly,good}'::text[]) AS s,
          generate_series('2031-06-01T03:00:00Z'::timestamptz, '2031-06-03T03:00:00Z', interval '1 day') AS i;
      INSERT INTO settled.problem (name, problem, since)
        VALUES ('schedule nightly', 'nightly failed: boom', '2031-06-02T03:00:01Z'), ('ledger', 'other', settled.clock());
      """)
    let rows = try await session.query(
      """
      SELECT concat_ws(' ', f ->> 'id', f ->> 'job', f ->> 'key', f ->> 'attempts', f ->> 'lastAt', f ->> 'nextAttemptAt',
        f ->> 'error') FROM jsonb_array_elements((\(fragment: FailureHandlers.schedules))) AS f
      """
    ).decode(String.self)
    #expect(
      rows == [
        "0 schedule-runs nightly 2 2031-06-03T03:00:01.000Z 2031-06-04T03:00:00.000Z nightly failed: boom"
      ])
    #expect(try await Self.page(session, [:]).map(\.0) == [1, 2, 0])
    #expect(try await Self.page(session, ["after": .integer(2)]).isEmpty)
    for name in ["failure.retry", "failure.drop"] {
      let command = try #require(FailureHandlers(moneyJobs: []).commands.first { $0.name == name })
      guard case .change(let change) = command.effect else { continue }
      let call = CommandCall(
        caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .operate), requestId: nil,
        values: ["id": .integer(0), "reason": .text("no")])
      let error = await #expect(throws: CommandError.self) {
        try await session.transaction { try await change(call, $0) }
      }
      #expect(error?.rule == "schedule")
    }
  }

  @Test func `the list of failures costs the same for many failures as for few`() async throws {
    var touched: [[Int]] = []
    for size in [500, 20_000] {
      let session = try await Self.world(size)
      touched.append([
        try await session.pagesTouched(FailureHandlers.page(quarantinedAfter: 0, othersAfter: 0, limit: 50)),
        try await session.pagesTouched(FailureHandlers.page(quarantinedAfter: .max, othersAfter: 100, limit: 50)),
      ])
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 40, "\(touched)") }
  }
}
