import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PoolTests {
  private actor Order {
    private(set) var values: [Int] = []

    func append(_ value: Int) { values.append(value) }
  }

  private func pool(
    _ database: TestDatabase, size: Int = 1, waitTimeout: Duration = .seconds(20), maximumAge: Duration = .seconds(900),
    maximumWaiters: Int = 100, maximumRest: Duration = .seconds(30),
    spareRest: Duration = .seconds(60)
  ) -> Pool {
    Pool(
      options: database.options, size: size, waitTimeout: waitTimeout, maximumAge: maximumAge,
      maximumWaiters: maximumWaiters, maximumRest: maximumRest, spareRest: spareRest)
  }

  private func waitFor(_ waiting: Int, in pool: Pool) async throws {
    try await eventually("not \(waiting) callers wait") { await pool.statistics.waiting == waiting }
  }

  @Test func `connections are opened on demand, kept, and never more than the size`() async throws {
    let database = try await TestCluster.shared.database()
    let pool = pool(database, size: 3)
    #expect(await pool.statistics.idle == 0)
    let pids = try await withThrowingTaskGroup(of: Int32.self) { group in
      for number in 0..<60 {
        group.addTask {
          try await pool.withConnection { connection in
            let value = try await connection.query("SELECT \(number)").one(Int.self)
            #expect(value == number)
            return connection.backendPID
          }
        }
      }
      return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
    }
    #expect(1...3 ~= pids.count)
    let after = await pool.statistics
    #expect(after.leased == 0)
    #expect(after.idle == pids.count)
    await pool.close()
  }

  @Test func `a greeting checks each new connection before its use, also one beside the pool`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    let greeted = Order()
    pool.greet { connection throws(PostgresError) in await greeted.append(Int(connection.backendPID)) }
    var used: [Int] = []
    for _ in 0..<2 { used.append(try await pool.withConnection { Int($0.backendPID) }) }
    #expect(await greeted.values == [used[0]], "a connection is greeted once")
    used.append(try await pool.withDedicatedConnection { Int($0.backendPID) })
    #expect(await greeted.values == [used[0], used[2]])
  }

  @Test func `a connection whose greeting throws is closed, and its place is free`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    let refused = Order()
    pool.greet { connection throws(PostgresError) in
      await refused.append(Int(connection.backendPID))
      throw PostgresError(.decoding, "it is not the database that was met")
    }
    let errors = [
      try await failure { try await pool.withConnection { _ in } },
      try await failure { try await pool.withDedicatedConnection { _ in } },
    ]
    #expect(errors.map(\.code) == [.decoding, .decoding])
    pool.greet { _ in }
    let pids = await refused.values
    try await eventually("its pause is over") { (try? await pool.withConnection { _ in }) != nil }
    let open = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY (\(pids.map(Int32.init)))" as Statement
    try await eventually("\(pids) are closed") {
      try await pool.withConnection { try await $0.query(open).one(Int64.self) } == 0
    }
    #expect(await pool.statistics.leased == 0)
  }

  @Test func `a transaction on the pool commits`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    try await pool.transaction { try await $0.execute("CREATE TABLE t (a int)") }
    let found = try await pool.withConnection { try await $0.query("SELECT to_regclass('t')::text").one(String.self) }
    #expect(found == "t")
  }

  @Test func `an exhausted pool reports its size and the wait`() async throws {
    let pool = pool(try await TestCluster.shared.database(), waitTimeout: .milliseconds(30))
    try await pool.withConnection { _ in
      let error = try await failure { try await pool.withConnection { _ in } }
      #expect(error.code == .poolExhausted)
      #expect(error.message == "all 1 connections are in use; waited 30 ms")
    }
    #expect(await pool.statistics.waiting == 0)
    try await pool.withConnection { _ = try await $0.query("SELECT 1") }
  }

  @Test func `callers of the pool are served in order`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    let order = Order()
    let tasks = try await pool.withConnection { _ in
      var tasks: [Task<Void, any Error>] = []
      for number in 0..<10 {
        tasks.append(Task { try await pool.withConnection { _ in await order.append(number) } })
        try await waitFor(number + 1, in: pool)
      }
      return tasks
    }
    for task in tasks { try await task.value }
    #expect(await order.values == Array(0..<10))
  }

  @Test func `a cancelled caller leaves the pool's queue`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    try await pool.withConnection { _ in
      let task = Task { try await pool.withConnection { _ in } }
      try await waitFor(1, in: pool)
      task.cancel()
      #expect(try await failure { try await task.value }.code == .cancelled)
      try await waitFor(0, in: pool)
    }
    #expect(await pool.statistics.leased == 0)
  }

  @Test func `the pool's queue has a limit`() async throws {
    let pool = pool(try await TestCluster.shared.database(), maximumWaiters: 2)
    let tasks = try await pool.withConnection { _ in
      let tasks = (0..<2).map { _ in Task { try await pool.withConnection { _ in } } }
      try await waitFor(2, in: pool)
      let error = try await failure { try await pool.withConnection { _ in } }
      #expect(error.code == .poolExhausted)
      #expect(error.message == "all 1 connections are in use and 2 callers are already waiting")
      return tasks
    }
    for task in tasks { try await task.value }
  }

  @Test func `a connection past its age is replaced, and a checked one is kept`() async throws {
    let database = try await TestCluster.shared.database()
    let (aged, rested) = (pool(database, maximumAge: .zero), pool(database, maximumRest: .zero))
    var pids: Set<Int32> = []
    for _ in 0..<3 { pids.insert(try await aged.withConnection { $0.backendPID }) }
    #expect(pids.count == 3)
    #expect(await aged.statistics.idle == 0)
    pids = []
    for _ in 0..<3 { pids.insert(try await rested.withConnection { $0.backendPID }) }
    #expect(pids.count == 1)
  }

  @Test func `one of several connections at rest for long is kept`() async throws {
    let database = try await TestCluster.shared.database()
    let pool = pool(database, size: 4, spareRest: .milliseconds(50))
    let pids = try await pool.withConnection { first in
      try await pool.withConnection { second in
        try await pool.withConnection { third in [first.backendPID, second.backendPID, third.backendPID] }
      }
    }
    try await eventually("more than one rests") { await pool.statistics.idle == 1 }
    #expect(try await pool.withConnection { $0.backendPID } == pids[0])
    await pool.close()
  }

  @Test func `a terminated connection is replaced, at rest or in use`() async throws {
    let database = try await TestCluster.shared.database()
    let other = try await database.connect()
    let pool = pool(database)
    let first = try await pool.withConnection { $0.backendPID }
    _ = try await other.query("SELECT pg_terminate_backend(\(first), 5000)")
    let error = try await failure {
      try await pool.withConnection { connection in
        #expect(connection.backendPID != first)
        _ = try await other.query("SELECT pg_terminate_backend(\(connection.backendPID), 5000)")
        _ = try await connection.query("SELECT 1")
      }
    }
    #expect(error.verdict == .connection)
    #expect(try await pool.withConnection { try await $0.query("SELECT 7").one(Int.self) } == 7)
  }

  @Test func `a connection left inside a transaction is not lent again`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    let first = try await pool.withConnection { connection in
      try await connection.execute("BEGIN")
      return connection.backendPID
    }
    #expect(try await pool.withConnection { $0.backendPID } != first)
  }

  @Test func `callers learn at once that the server is unreachable`() async throws {
    let pool = Pool(
      options: ConnectionOptions(url: "host=/nonexistent"), size: 2, waitTimeout: .seconds(30), maximumWaiters: 10)
    for _ in 0..<20 {
      let error = try await failure { try await pool.withConnection { _ in } }
      #expect(error.verdict == .connection)
    }
    let statistics = await pool.statistics
    #expect(1...5 ~= statistics.connectsFailed)
    #expect(statistics.leased == 0)
  }

  @Test func `a closed pool refuses callers, waiting ones too, and lets lent connections finish`() async throws {
    let pool = pool(try await TestCluster.shared.database())
    let closer = try await pool.withConnection { connection in
      let waiting = Task { try await pool.withConnection { _ in } }
      try await waitFor(1, in: pool)
      let closer = Task { await pool.close() }
      #expect(try await failure { try await waiting.value }.code == .closed)
      #expect(try await connection.query("SELECT 1").count == 1)
      return closer
    }
    await closer.value
    #expect(try await failure { try await pool.withConnection { _ in } }.code == .closed)
    #expect(await pool.statistics.leased == 0)
  }

  @Test func `closing a pool also waits for dedicated connections, and ends them in time`() async throws {
    let database = try await TestCluster.shared.database()
    let pool = Pool(options: database.options, size: 1, waitTimeout: .seconds(5), maximumWaiters: 4)
    let (opened, open) = AsyncStream<Void>.makeStream()
    let apart = Task {
      try await pool.withDedicatedConnection {
        open.yield()
        try await $0.execute("SELECT pg_sleep(600)")
      }
    }
    for await _ in opened { break }
    await pool.close(within: .milliseconds(1))
    #expect(try await failure { try await apart.value }.code == .closed)
  }

  @Test func `closing a pool ends unreturned connections in time, in the pool and beside it`() async throws {
    let database = try await TestCluster.shared.database()
    var options = database.options
    options.statementTimeout = .zero
    let pool = Pool(options: options, size: 2, waitTimeout: .seconds(5), maximumWaiters: 4)
    let long: Statement = "SELECT pg_sleep(600)"
    let lent = Task { try await pool.withConnection { try await $0.execute(long) } }
    let apart = Task { try await pool.withDedicatedConnection { try await $0.execute(long) } }
    let watcher = try await database.connect()
    try await untilTrue("two that sleep") {
      try await watcher.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'").one(Int64.self) == 2
    }
    await pool.close(within: .milliseconds(1))
    for task in [lent, apart] { #expect(try await failure { try await task.value }.code == .closed) }
  }

  @Test func `the pool's wait for an answer is limited`() async throws {
    let database = try await TestCluster.shared.database()
    let pool = Pool(options: database.options, size: 1, waitTimeout: .seconds(30), maximumWaiters: 4)
    #expect(try await pool.answer(within: .seconds(30)) { try await $0.query("SELECT 7").one(Int32.self) } == 7)
    let late = try await failure {
      try await pool.answer(within: .milliseconds(1)) { try await $0.execute("SELECT pg_sleep(600)") }
    }
    #expect(late.code == .timeout)
    await pool.close(within: .zero)
  }
}
