import Postgres
import Synchronization
import TestSupport
import Testing

@Suite struct TransactionTests {
  private struct Refusal: Error {}

  private func table() async throws -> (database: TestDatabase, connection: Connection) {
    let (database, connection) = try await connected()
    try await connection.execute("CREATE TABLE t (id bigint PRIMARY KEY, n bigint NOT NULL)")
    try await connection.execute("INSERT INTO t VALUES (1, 0), (2, 0)")
    return (database, connection)
  }

  private func sum(_ connection: Connection) async throws -> Int {
    try await connection.query("SELECT sum(n)::int8 FROM t").one(Int.self)
  }

  @Test func `a transaction body that returns is committed, and one that throws is rolled back`() async throws {
    let (database, connection) = try await table()
    let value = try await connection.transaction { transaction in
      try await transaction.execute("UPDATE t SET n = 1 WHERE id = 1")
      return "done"
    }
    #expect(value == "done")
    await #expect(throws: Refusal.self) {
      try await connection.transaction { transaction in
        try await transaction.execute("UPDATE t SET n = 100")
        throw Refusal()
      }
    }
    #expect(try await sum(try await database.connect()) == 1)
    #expect(await connection.isUsable)
  }

  @Test func `a dry run returns its value and leaves nothing`() async throws {
    let (_, connection) = try await table()
    let seen = try await connection.transaction(commit: false) { transaction in
      try await transaction.execute("UPDATE t SET n = 5")
      return try await transaction.query("SELECT sum(n)::int8 FROM t").one(Int.self)
    }
    #expect(seen == 10)
    #expect(try await sum(connection) == 0)
  }

  @Test func `isolation and read-only mode reach the server`() async throws {
    let (_, connection) = try await table()
    for mode in Isolation.allCases {
      let shown = try await connection.transaction(mode, readOnly: true) { transaction in
        try await transaction.query("SELECT upper(current_setting('transaction_isolation'))").one(String.self)
      }
      #expect(shown == mode.rawValue)
    }
    let error = try await failure {
      try await connection.transaction(readOnly: true) { try await $0.execute("UPDATE t SET n = 5") }
    }
    #expect(error.sqlState == "25006")
  }

  @Test func `a swallowed error makes the commit fail`() async throws {
    let (_, connection) = try await table()
    let error = try await failure {
      try await connection.transaction { transaction in
        try await transaction.execute("UPDATE t SET n = 5")
        _ = try? await transaction.query("SELECT 1/0")
      }
    }
    #expect(error.sqlState == "25P02")
    #expect(try await sum(connection) == 0)
  }

  @Test func `an open transaction admits only its own statements, and none after its end`() async throws {
    let (_, connection) = try await table()
    let kept = try await connection.transaction { transaction in
      #expect(try await failure { try await connection.query("SELECT 1") }.code == .usage)
      #expect(try await failure { try await connection.transaction { _ in } }.code == .usage)
      try await transaction.execute("UPDATE t SET n = 1")
      return transaction
    }
    #expect(try await failure { try await kept.query("SELECT 1") }.code == .usage)
    #expect(try await sum(connection) == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a serialization failure repeats the body, up to a limit`() async throws {
    let (database, connection) = try await table()
    let rival = try await database.connect()
    let tries = Mutex(0)
    try await connection.transaction(.serializable, retries: 2) { transaction in
      let attempt = tries.withLock { tries in
        tries += 1
        return tries
      }
      let seen = try await transaction.query("SELECT n FROM t WHERE id = 1").one(Int.self)
      if attempt == 1 { try await rival.execute("UPDATE t SET n = n + 10 WHERE id = 1") }
      try await transaction.execute("UPDATE t SET n = \(seen + 1) WHERE id = 1")
    }
    #expect(tries.withLock { $0 } == 2)
    #expect(try await sum(connection) == 11)
    let error = try await failure {
      try await connection.transaction(.repeatableRead, retries: 1) { transaction in
        _ = try await transaction.query("SELECT 1 FROM t")
        try await rival.execute("UPDATE t SET n = n + 10 WHERE id = 1")
        try await transaction.execute("UPDATE t SET n = 0 WHERE id = 1")
      }
    }
    #expect(error.sqlState == "40001")
    #expect(error.verdict == .contention)
    #expect(try await sum(connection) == 31)
  }

  @Test(.timeLimit(.minutes(1)))
  func `the victim of two deadlocked transactions is repeated`() async throws {
    let (database, left) = try await table()
    let right = try await database.connect()
    let observer = try await database.connect()
    let arrived = Mutex(0)
    let run = { @Sendable (connection: Connection, ids: [Int]) in
      try await connection.transaction(retries: 5) { transaction in
        try await transaction.execute("UPDATE t SET n = n + 1 WHERE id = \(ids[0])")
        arrived.withLock { $0 += 1 }
        try await eventually("the other did not come") { arrived.withLock { $0 >= 2 } }
        try await transaction.execute("UPDATE t SET n = n + 1 WHERE id = \(ids[1])")
      }
    }
    async let one: Void = run(left, [1, 2])
    async let two: Void = run(right, [2, 1])
    _ = try await (one, two)
    #expect(try await sum(observer) == 4)
    #expect(arrived.withLock { $0 } >= 3)
  }

  @Test func `begin is sent with the first statement, and nothing for an empty transaction`() async throws {
    let sent = Mutex<[String]>([])
    let (_, connection) = try await connected { options in
      options.beforeStatement = { statement in sent.withLock { $0.append(statement.sql) } }
    }
    #expect(try await connection.transaction { _ in 7 } == 7)
    #expect(sent.withLock { $0 }.isEmpty)
    try await connection.transaction { transaction in
      try await transaction.script("SELECT 1; SELECT 2")
      #expect(try await transaction.query("SELECT now() = statement_timestamp()").one(Bool.self) == false)
    }
    #expect(sent.withLock { $0.first }?.hasPrefix("BEGIN") == true)
    #expect(sent.withLock { $0.last } == "COMMIT")
  }

  @Test func `a transaction that the server did not open runs nothing more`() async throws {
    let (database, connection) = try await connected {
      $0.poolsTransactions = true
      $0.settings = ["work_mem": "much"]
    }
    let error = try await failure {
      try await connection.transaction { transaction in
        #expect(try await failure { try await transaction.query("SELECT 1") }.sqlState == "22023")
        try await transaction.execute("CREATE TABLE never (a int)")
      }
    }
    #expect(error.code == .usage || error.sqlState?.hasPrefix("25") == true)
    #expect(try await database.connect().query("SELECT to_regclass('public.never') IS NULL").one(Bool.self))
    #expect(await connection.isUsable)
  }

  @Test func `statements sent with the commit answer once it is committed`() async throws {
    let (_, connection) = try await table()
    let (first, second) = try await connection.transaction { transaction in
      let first = transaction.beforeCommit("SELECT 'first'")
      let second = transaction.beforeCommit("UPDATE t SET n = 7 WHERE id = 1 RETURNING n")
      #expect(first.rows == nil && second.rows == nil)
      return (first, second)
    }
    let answers = (try #require(first.rows), try #require(second.rows))
    #expect(try answers.0.one(String.self) == "first")
    #expect(try answers.1.one(Int.self) == 7)
    #expect(try await connection.transaction(commit: false) { $0.beforeCommit("SELECT 1") }.rows == nil)
  }

  @Test func `statements sent with the commit share its outcome, and a dry run omits them`() async throws {
    let (_, connection) = try await table()
    try await connection.transaction { transaction in
      try await transaction.execute("UPDATE t SET n = 1 WHERE id = 1")
      transaction.beforeCommit("UPDATE t SET n = n + 10")
    }
    #expect(try await sum(connection) == 21)
    let error = try await failure {
      try await connection.transaction { transaction in
        try await transaction.execute("UPDATE t SET n = 500")
        transaction.beforeCommit("SELECT 1/0")
      }
    }
    #expect(error.sqlState == "22012")
    #expect(try await sum(connection) == 21)
    try await connection.transaction { $0.beforeCommit("UPDATE t SET n = 0 WHERE id = 1") }
    #expect(try await sum(connection) == 10)
    try await connection.transaction(commit: false) { $0.beforeCommit("UPDATE t SET n = 0") }
    #expect(try await sum(connection) == 10)
    #expect(await connection.isUsable)
  }

  @Test func `each transaction behind a transaction-pooling proxy sets its settings`() async throws {
    let (_, connection) = try await connected {
      $0.poolsTransactions = true
      $0.settings = ["search_path": "elsewhere"]
      $0.lockTimeout = .milliseconds(1234)
    }
    let show: Statement = "SELECT current_setting('search_path'), current_setting('lock_timeout')"
    let inside = try await connection.transaction { try await $0.query(show).one(String.self, String.self) }
    #expect(inside == ("elsewhere", "1234ms"))
  }

  @Test func `a single statement behind a transaction-pooling proxy has its settings, and leaves none`()
    async throws
  {
    let (database, connection) = try await connected {
      $0.poolsTransactions = true
      $0.settings = ["work_mem": "5MB", "search_path": "pg_catalog, pg_temp"]
    }
    try await database.connect().execute(
      "ALTER DATABASE \(raw: database.name.quotedIdentifier) SET default_transaction_isolation = 'serializable'")
    let show: Statement = """
      SELECT current_setting('work_mem'), current_setting('search_path'), current_setting('transaction_isolation')
      """
    let seen = try await connection.query(show).one(String.self, String.self, String.self)
    #expect(seen == ("5MB", "pg_catalog, pg_temp", "read committed"))
    let both = try await connection.pipeline([show, "CREATE TABLE public.t (a int CHECK (a > 0))"])
    #expect(both.count == 2)
    let error = try await failure {
      try await connection.pipeline(["INSERT INTO public.t VALUES (1)", "INSERT INTO public.t VALUES (0)"])
    }
    #expect(error.sqlState == "23514")
    #expect(await connection.isUsable)
    #expect(try await connection.query("SELECT count(*) FROM public.t").one(Int64.self) == 0)
    #expect(try await connection.execute("INSERT INTO public.t VALUES (1), (2)") == 2)
    #expect(try await connection.query("SELECT count(*) FROM public.t").one(Int64.self) == 2)
    #expect(try await failure { try await connection.script("SELECT 1") }.code == .usage)
    try await connection.transaction { try await $0.script("SELECT 1; SELECT 2") }
    try await connection.check(within: .seconds(30))
  }
}
