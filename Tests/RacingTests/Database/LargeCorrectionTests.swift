import Engine
import Operations
import ControlAPI
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Sessions that join by nested loops only, so that a join of two lists shows its square.
@Suite("The correction of a race of 6,000 entries", .timeLimit(.minutes(5)))
struct LargeCorrectionTests {
  private static let entries = 6000

  private let database: SettledDatabase
  private let owner: Connection
  private let pool: Pool
  private let race: Int64
  /// The activity of the entry that won.
  private let winner: Int64

  init() async throws {
    database = try await SettledDatabase.simulated()
    owner = try await database.connect()
    var herd = Herd(races: 1, entries: Self.entries)
    herd.hasVoidRaces = false
    race = try await herd.write(owner)[0]
    var options = database.options(.daemon)
    for join in ["hashjoin", "mergejoin"] { options.settings["enable_\(join)"] = "off" }
    pool = Pool(options: options, size: 1, waitTimeout: .seconds(10), maximumWaiters: 10)
    try await JobRunner(SettlementJob(), in: database.context(pool)).runAllDue()
    winner = try await owner.query(
      "SELECT activity_id FROM racing.entry WHERE race_id = \(race) AND rank = 1 ORDER BY id LIMIT 1"
    ).one(Int64.self)
  }

  /// Rows of activities that statements of the pool's session and of this one have read so far.
  private func activitiesRead() async throws -> Int64 {
    let flush: Statement = "SELECT pg_stat_force_next_flush()"
    _ = try await pool.withConnection { try await $0.query(flush) }
    return try await owner.query(
      "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'racing.activity'::regclass"
    ).one(Int64.self)
  }

  @Test func `the correction of 6,000 entries takes a statement's time, and reads activities a few times`()
    async throws
  {
    _ = try await owner.query("SELECT racing.review_activity(\(winner), 'disqualify', 'mod', 'because')")
    let before = try await activitiesRead()
    try await JobRunner(SettlementJob(), in: database.context(pool)).runAllDue()
    let read = try await activitiesRead() - before
    #expect(read <= 3 * Int64(Self.entries), "\(read) rows were read")
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    #expect(
      try await owner.query("SELECT max(revision)::bigint FROM racing.settlement WHERE race_id = \(race)")
        .one(Int64.self) == 2)
    #expect(try await Books.differences(owner) == [])
  }

  @Test func `the correction of 6,000 entries is previewed, and its ranking is explained in pages`() async throws {
    let preview = try await run("review.show", winner, [:])
    let nets: Statement = "SELECT (\(preview) #>> '{affected,0,disqualify,netsCount}')::bigint"
    #expect(try await owner.query(nets).one(Int64.self) > 0)
    var entries: Set<Int64> = []
    for page in 0..<Self.entries / RaceExplanation.pageMax {
      let after = Int64(page * RaceExplanation.pageMax)
      let shown = try await run("race.show", race, ["explain": .boolean(true), "after": .integer(after)])
      let ranking: Statement = "SELECT (r ->> 'entryId')::bigint FROM jsonb_array_elements(\(shown) -> 'ranking') AS r"
      entries.formUnion(try await owner.query(ranking).decode(Int64.self))
      let count: Statement = "SELECT (\(shown) ->> 'rankingCount')::bigint"
      #expect(try await owner.query(count).one(Int64.self) == Int64(Self.entries))
    }
    #expect(entries.count == Self.entries)
  }

  private func run(_ name: String, _ id: Int64, _ values: [String: ParameterValue]) async throws -> JSON {
    let commands = RacingModule().commands(in: ModuleContext(gate: database.context(pool).gate))
    let command = try #require(commands.first { $0.name == name })
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin), requestId: nil,
      values: values.merging(["id": .integer(id)]) { $1 })
    return JSON(text: try await CommandDispatcher(commands, pool: pool, node: "test").run(command, call))
  }
}
