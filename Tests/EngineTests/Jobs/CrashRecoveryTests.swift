import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("After an unclean exit", .timeLimit(.minutes(2)))
struct CrashRecoveryTests {
  /// A process that dies of some chores: from their decision on, nothing that it says reaches the server.
  private struct Process {
    let runner: JobRunner<ChoreJob>
    let pool: Pool
    let fate = Fate()
    private let chores: Chores

    init(_ chores: Chores, diesOf killers: Set<String> = [], afterCrash: Bool = true) async {
      var options = chores.pool.options
      options.applicationName = "mortal"
      options.beforeStatement = { [fate] statement in
        if fate.isDead { throw PostgresError(.server, "killed", sqlState: "57P01") }
        if statement.sql.hasPrefix("INSERT INTO settled.failure") { fate.count() }
      }
      pool = Pool(options: options, size: 6, waitTimeout: .seconds(20), maximumWaiters: 100)
      var context = chores.context(in: pool)
      context.batchTarget = .seconds(60)
      context.beforeDecision = { [fate] _, key in
        guard killers.contains(key) else { return }
        fate.die()
        throw CancellationError()
      }
      runner = JobRunner(ChoreJob(), in: context)
      if afterCrash { await runner.recoverFromCrash() }
      self.chores = chores
    }

    /// Works off what is due; whether it survived. What it held is free when this returns.
    func run() async throws -> Bool {
      _ = await runner.runDue(until: StopFlag(), due: .zero)
      await pool.close()
      try await untilTrue("its connections have ended") {
        try await chores.session.query(
          """
          SELECT NOT EXISTS (SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'mortal')
          """
        ).one(Bool.self)
      }
      return !fate.isDead
    }
  }

  private final class Fate: Sendable {
    private let storage = Mutex((isDead: false, countings: 0))

    var isDead: Bool { storage.withLock { $0.isDead } }
    /// How often attempts were counted, or failures recorded.
    var countings: Int { storage.withLock { $0.countings } }

    func die() { storage.withLock { $0.isDead = true } }
    func count() { storage.withLock { $0.countings += 1 } }
  }

  @Test func `a backlog after a crash runs in batches, each counted once before its decisions`() async throws {
    let chores = try await Chores(500)
    let process = await Process(chores)
    #expect(try await process.run())
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
    // 1, 8, 64, 64, ...
    #expect(process.fate.countings == 10)
  }

  @Test func `an item that kills the process is quarantined after five counted attempts, and no other is`() async throws
  {
    let chores = try await Chores(300)
    #expect(try await !Process(chores, diesOf: ["150"], afterCrash: false).run())
    #expect(try await chores.failures.isEmpty)
    // The batch of the killer is counted as a whole, but none of it a second time with it.
    for attempt in 1...Int64(5) {
      #expect(try await !Process(chores, diesOf: ["150"]).run())
      let failures = try await chores.failures
      #expect(failures.filter { $0.0 == "150" }.map(\.1) == [attempt])
      #expect(failures.filter { $0.0 != "150" }.allSatisfy { $0.1 == 1 && !$0.2 })
      try await chores.endBackoff()
    }
    #expect(try await Process(chores, diesOf: ["150"]).run())
    #expect(try await chores.undone == [150])
    let failures = try await chores.failures
    #expect(failures.count == 1)
    #expect(failures.first.map { $0.0 == "150" && $0.1 == 5 && $0.2 } == true)
    #expect(try await chores.session.query("SELECT sum(pence)::bigint FROM purse").one(Int64.self) == 299)
  }

  @Test func `two killers are quarantined in either order, and everything else is done`() async throws {
    let chores = try await Chores(100)
    var deaths = 0
    while try await !Process(chores, diesOf: ["20", "30"]).run() {
      deaths += 1
      try #require(deaths <= 10)
      try await chores.endBackoff()
    }
    #expect(try await chores.undone == [20, 30])
    #expect(try await chores.failures.map(\.0) == ["20", "30"])
    #expect(try await chores.failures.allSatisfy { $0.1 == 5 && $0.2 })
  }

  @Test func `items of a killer's batch stay one by one until its back-off ends`() async throws {
    let chores = try await Chores(9)
    #expect(try await !Process(chores, diesOf: ["5"]).run())
    let suspects = try await chores.failures.map(\.0)
    #expect(suspects == ["2", "3", "4", "5", "6", "7", "8", "9"])
    let next = await Process(chores, diesOf: ["5"])
    // It is afterCrash still when the suspects come back: the killer's attempt is counted, and it alone.
    try await next.runner.runAllDue()
    try await chores.endBackoff()
    #expect(try await !next.run())
    #expect(try await chores.failures.filter { $0.1 > 1 }.map(\.0) == ["5"])
  }

  @Test func `an item that fails is counted once, and its batch not at all`() async throws {
    let chores = try await Chores(50)
    try await chores.session.script("ALTER TABLE chore ADD CONSTRAINT poison CHECK (NOT done OR id <> 30)")
    #expect(try await Process(chores).run())
    #expect(try await chores.undone == [30])
    let failures = try await chores.failures
    #expect(failures.count == 1)
    #expect(failures.first.map { $0.0 == "30" && $0.1 == 1 && $0.3 == "23514" } == true)
  }

  @Test func `items that others lock are not counted after a crash`() async throws {
    let chores = try await Chores(20)
    let holder = try await chores.database.connect()
    try await holder.script("BEGIN; SELECT FROM purse WHERE id = 12 FOR NO KEY UPDATE")
    let process = await Process(chores)
    for _ in 0..<8 { try await process.runner.runAllDue() }
    #expect(try await chores.undone == [12])
    #expect(try await chores.failures.isEmpty)
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await !chores.undone.isEmpty { try await process.runner.runAllDue() }
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
    #expect(try await process.run())
  }
}
