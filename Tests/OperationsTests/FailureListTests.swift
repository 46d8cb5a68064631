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
