import Engine
import Postgres
import TestSupport
import Testing

@Suite("Due items of a job") struct DueSourceTests {
  /// Errands that begin and end, and notes that remind of them after one and two hours.
  private static let source = DueSource(
    "errand", key: "id", order: "t.rank",
    [
      .init(at: "t.begins_at", where: "t.state = 'new'"),
      .init(at: "t.ends_at", where: "t.state = 'new'", claimed: false),
      .init(at: "t.ends_at", where: "t.state = 'begun'"),
      .init(
        at: "n.written_at + m.span", where: "n.level = m.place",
        rows: .init(
          of: "note AS n", key: "n.errand", order: "n.written_at",
          each: "(VALUES (1, interval '1 hour'), (2, interval '2 hours')) AS m(place, span)")),
    ])

  private struct Errand {
    let id: Int64
    let state: String
    let begins: Int64
    let ends: Int64
    let rank: Int64
    /// Level, and when it was written.
    let note: (level: Int64, at: Int64)?
    let isHeldBack: Bool

    /// Instants in seconds; those that can be claimed, and all.
    var claimed: [Int64] {
      var instants: [Int64] = state == "new" ? [begins] : state == "begun" ? [ends] : []
      if let note, note.level <= 2 { instants.append(note.at + note.level * 3600) }
      return instants
    }

    var all: [Int64] { claimed + (state == "new" ? [ends] : []) }
  }

  private func errands(_ count: Int, _ random: inout SeededGenerator) -> [Errand] {
    (1...Int64(count)).map { id in
      let begins = Int64.random(in: -9000...9000, using: &random)
      let note =
        Bool.random(using: &random)
        ? (level: Int64.random(in: 1...3, using: &random), at: Int64.random(in: -9000...9000, using: &random)) : nil
      return Errand(
        id: id, state: ["new", "begun", "done"].randomElement(using: &random) ?? "", begins: begins,
        ends: begins + Int64.random(in: 1...4000, using: &random), rank: Int64.random(in: 1...9, using: &random),
        note: note, isHeldBack: Int64.random(in: 1...5, using: &random) == 1)
    }
  }

  private func write(_ errands: [Errand], _ session: Connection) async throws {
    try await session.script(
      """
      CREATE TABLE errand (id bigint PRIMARY KEY, state text, begins_at timestamptz, ends_at timestamptz, rank bigint);
      CREATE TABLE note (errand bigint, level bigint, written_at timestamptz);
      """)
    let noted = errands.filter { $0.note != nil }
    try await session.execute(
      """
      INSERT INTO errand SELECT e.id, e.state, settled.clock() + e.begins * interval '1 s',
        settled.clock() + e.ends * interval '1 s', e.rank
      FROM unnest(\(errands.map(\.id)), \(errands.map(\.state)), \(errands.map(\.begins)), \(errands.map(\.ends)),
        \(errands.map(\.rank))) AS e(id, state, begins, ends, rank)
      """)
    try await session.execute(
      """
      INSERT INTO note SELECT e.id, e.level, settled.clock() + e.at * interval '1 s'
      FROM unnest(\(noted.map(\.id)), \(noted.compactMap(\.note?.level)), \(noted.compactMap(\.note?.at))) AS e(id, level, at)
      """)
    try await session.execute(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      SELECT 'errands', k, 5, clock_timestamp(), clock_timestamp(), clock_timestamp(), true, 'no'
      FROM unnest(\(errands.filter(\.isHeldBack).map { String($0.id) })) AS k
      """)
  }

  /// The model is written apart from the SQL: plain loops over all errands.
  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func `the poll, plan, list and claim of a due source match one model`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let errands = errands(60, &random)
    let session = try await SettledDatabase.simulated().connect()
    try await write(errands, session)
    func second(_ value: String) async throws -> Int64? {
      try await session.query("SELECT extract(epoch FROM (\(raw: value)) - settled.clock())::bigint").one(Int64?.self)
    }
    let free = errands.filter { !$0.isHeldBack }
    let prewarmed = errands.filter { $0.state == "new" }.map(\.ends)
    #expect(try await second(Self.source.nextDue(job: "errands")) == free.flatMap(\.claimed).min())
    let instants = free.flatMap(\.claimed).sorted()
    #expect(try await second(Self.source.followingDue(job: "errands")) == instants.dropFirst().first)
    let wait = try await session.query(Self.source.untilNext(job: "errands"))
      .one(Int64?.self, Timestamp.self).0
    #expect(wait.map { $0 / 1_000_000 } == instants.first { $0 > 0 })
    #expect(try await second(Self.source.planned(job: "errands")) == (free.flatMap(\.claimed) + prewarmed).min())

    let listed: Statement = """
      SELECT extract(epoch FROM s.at - settled.clock())::bigint, s.key FROM (\(raw: Self.source.schedule)) AS s(at, key)
      """
    let all = errands.flatMap { errand in errand.all.map { [$0, errand.id] } }
    let rows = try await session.query(listed).decode(Int64.self, Int64.self).map { [$0, $1] }
    #expect(rows.sorted { $0.lexicographicallyPrecedes($1) } == all.sorted { $0.lexicographicallyPrecedes($1) })
    let soonest = try await session.query(
      "SELECT extract(epoch FROM s.at - settled.clock())::bigint FROM (\(fragment: Self.source.soonest(7))) AS s ORDER BY 1"
    ).decode(Int64.self)
    #expect(soonest == Array(all.map { $0[0] }.sorted().prefix(7)))

    let due = free.filter { $0.claimed.contains { $0 <= 0 } }.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id)
    func claim(_ request: LockRequest<Int64>) async throws -> [Int64] {
      try await session.query(Self.source.lock(request, job: "errands")).decode(Int64.self)
    }
    #expect(try await claim(LockRequest(limit: 100)) == due)
    #expect(try await claim(LockRequest(limit: 5)) == Array(due.prefix(5)))
    #expect(try await claim(LockRequest(limit: 100, except: Array(due.prefix(3)))) == Array(due.dropFirst(3)))
    let some = errands.map(\.id).filter { $0 % 2 == 0 }
    #expect(try await claim(LockRequest(limit: 100, among: some)) == due.filter { $0 % 2 == 0 })
  }

  @Test func `an item is claimed by one node, and skipped while another holds it`() async throws {
    let database = try await SettledDatabase.simulated()
    let (one, two) = (try await database.connect(), try await database.connect())
    try await write(
      (1...4).map { Errand(id: $0, state: "begun", begins: -9, ends: -9 + $0, rank: $0, note: nil, isHeldBack: false) },
      one)
    try await one.transaction { transaction in
      let claim = Self.source.lock(LockRequest<Int64>(limit: 2), job: "errands")
      let first: [Int64] = try await transaction.query(claim).decode(Int64.self)
      try await two.transaction { other in
        let second: [Int64] = try await other.query(claim).decode(Int64.self)
        #expect(first == [Int64(1), 2] && second == [Int64(3), 4])
      }
    }
  }
}
