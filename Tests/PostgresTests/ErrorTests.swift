import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite struct ErrorTests {
  @Test func `a server error keeps all of the server's fields`() async throws {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE people (id bigint CONSTRAINT one_each PRIMARY KEY)")
    try await connection.execute("INSERT INTO people VALUES (\(4711))")
    let error = try await failure { try await connection.execute("INSERT INTO people VALUES (\(4711))") }
    #expect(error.code == .server)
    #expect(error.sqlState == "23505")
    #expect(error.severity == "ERROR")
    #expect(error.constraint == "one_each")
    #expect(error.table == "people")
    #expect(error.schema == "public")
    #expect(error.detail == "Key (id)=(4711) already exists.")
    #expect(error.routine != nil)
    #expect(error.verdict == .item)
    let raised = try await failure {
      try await connection.script("DO $$ BEGIN RAISE EXCEPTION 'no' USING HINT = 'try', ERRCODE = 'SE001'; END $$")
    }
    #expect(raised.sqlState == "SE001")
    #expect(raised.hint == "try")
    #expect(raised.context?.contains("PL/pgSQL") == true)
    #expect(try await failure { try await connection.query("SELEC") }.position == 1)
  }

  @Test func `an error's description shows no value, and its debug description shows the detail`() async throws {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE people (id text CONSTRAINT one_each PRIMARY KEY, CHECK (id <> 'bad'))")
    let secret = #"se"cret-4711"#
    try await connection.execute("INSERT INTO people VALUES (\(secret))")
    let statements: [Statement] = [
      "INSERT INTO people VALUES (\(secret))", "SELECT \(secret)::bigint", "SELECT \(secret)::timestamptz",
      "SELECT \(secret)::jsonb", "SELECT \(secret)::uuid", "SELECT \(secret)::bigint[]",
      "SELECT \(4711)::int2 + \(99999)::int2",
    ]
    for statement in statements {
      let error = try await failure { try await connection.query(statement) }
      #expect(!error.description.contains("4711"), "\(error.description)")
      #expect(error.description.contains(error.sqlState ?? "none"))
    }
    let error = try await failure { try await connection.query(statements[0]) }
    #expect(
      error.description
        == #"server 23505: duplicate key value violates unique constraint "one_each" (constraint one_each, table people)"#
    )
    #expect(error.debugDescription.contains("4711"))
  }

  @Test func `an error's verdict depends on its code, its SQLSTATE and the routine that raised it`() {
    func verdict(_ state: String) -> Verdict { PostgresError(.server, "x", sqlState: state).verdict }
    for state in ["08006", "57P01", "57P02", "57P03", "25006"] { #expect(verdict(state) == .connection) }
    for state in ["40001", "40P01", "55P03"] { #expect(verdict(state) == .contention) }
    for state in ["53100", "53300", "58030"] { #expect(verdict(state) == .resource) }
    for state in ["42501", "42P01", "26000", "42P05"] { #expect(verdict(state) == .installation) }
    for state in ["23505", "22P02", "P0001", "SD409", "0A000", "QQ999"] { #expect(verdict(state) == .item) }
    #expect(PostgresError(.connection, "x").verdict == .connection)
    #expect(PostgresError(.connection, "x", sqlState: "25P03").verdict == .timeout)
    #expect(PostgresError(.closed, "x").verdict == .caller)
    #expect(PostgresError(.poolExhausted, "x").verdict == .resource)
  }

  @Test func `a session that the server ends for an idle transaction is a time-out`() async throws {
    let (database, connection) = try await connected { $0.idleInTransactionTimeout = .milliseconds(50) }
    let observer = try await database.connect()
    let pid = connection.backendPID
    let error = try await failure {
      try await connection.transaction { transaction in
        try await transaction.execute("SELECT 1")
        try await eventually("the session does not end") {
          try await observer.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid)").isEmpty
        }
        try await transaction.execute("SELECT 2")
      }
    }
    #expect(error.verdict == .timeout, "\(error)")
  }

  @Test func `a statement in a transaction whose prepared columns changed is contention, and succeeds next time`()
    async throws
  {
    let (database, connection) = try await connected()
    let other = try await database.connect()
    try await connection.execute("CREATE TABLE t (a int)")
    func read() async throws -> Int {
      try await connection.transaction { try await $0.query("SELECT a FROM t").count }
    }
    #expect(try await read() == 0)
    try await other.execute("ALTER TABLE t ALTER COLUMN a TYPE bigint")
    let error = try await failure { _ = try await read() }
    #expect(error.sqlState == "0A000" && error.verdict == .contention && error.isRepeatable, "\(error)")
    #expect(try await read() == 0)
  }

  @Test func `every SQLSTATE that this server can raise is among the recorded ones`() async throws {
    let (_, connection) = try await connected()
    let path = try await connection.query("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'").one(String.self)
    let text = try String(contentsOf: URL(filePath: path).appending(path: "errcodes.txt"), encoding: .utf8)
    let states = Set(text.matches(of: /(?m)^([0-9A-Z]{5})\s/).map { String($0.1) })
    let recorded = try Set(
      Checkout.text("Tests/Recorded/sqlstates.txt").split(separator: "\n").map { String($0.prefix(5)) })
    #expect(states.count > 200 && states.isSubset(of: recorded), "\(states.subtracting(recorded))")
  }

  @Test func `server notices reach the notice hook`() async throws {
    let heard = Mutex<[String]>([])
    let hook = { @Sendable (message: ServerMessage) in
      heard.withLock { $0.append("\(message.severity) \(message.message)") }
    }
    let (_, connection) = try await connected { $0.onNotice = hook }
    try await connection.script("DO $$ BEGIN RAISE NOTICE 'hello'; RAISE WARNING 'careful'; END $$")
    #expect(heard.withLock { $0 } == ["NOTICE hello", "WARNING careful"])
  }

  @Test func `an injected failure acts like a lost server`() async throws {
    struct Fault: Error {}
    let countdown = Mutex(4)
    let seen = Mutex<[String]>([])
    let hook = { @Sendable (statement: Statement) throws in
      seen.withLock { $0.append(statement.sql) }
      let isDue = countdown.withLock { countdown in
        countdown -= 1
        return countdown == 0
      }
      if isDue { throw Fault() }
    }
    let (database, connection) = try await connected { $0.beforeStatement = hook }
    try await connection.execute("CREATE TABLE t (a int)")
    let error = try await failure {
      try await connection.transaction { try await $0.execute("INSERT INTO t VALUES (1)") }
    }
    #expect(error.code == .injected)
    #expect(error.verdict == .connection)
    #expect(seen.withLock { $0.last } == "COMMIT")
    #expect(await !connection.isUsable)
    #expect(try await database.connect().query("SELECT 1 FROM t").isEmpty)
  }

  @Test func `an injected server error fails the transaction and keeps the connection`() async throws {
    let hook = { @Sendable (statement: Statement) throws in
      if statement.sql == "SELECT 'fault'" { throw PostgresError(.injected, "deadlock", sqlState: "40P01") }
    }
    let (_, connection) = try await connected { $0.beforeStatement = hook }
    let error = try await failure {
      try await connection.transaction { transaction in
        _ = try? await transaction.query("SELECT 'fault'")
        let next = try await failure { try await transaction.query("SELECT 1") }
        #expect(next.sqlState == "40P01")
      }
    }
    #expect(error.verdict == .contention)
    #expect(try await connection.query("SELECT 1").count == 1)
  }

  @Test(arguments: [
    ("FATAL:  no pg_hba.conf entry for host \"[local]\", user \"settled_daemon\", database \"settled\"", "pg_hba.conf"),
    ("FATAL:  Peer authentication failed for user \"settled_daemon\"", "pg_ident.conf"),
    ("FATAL:  password authentication failed for user \"settled_daemon\"", "credential"),
    ("FATAL:  role \"settled_daemon\" does not exist", "settled migrate"),
    ("FATAL:  database \"settled\" does not exist", "createdb"),
    ("FATAL:  role \"settled_owner\" is not permitted to log in", "LOGIN"),
    ("FATAL:  permission denied for database \"settled\"", "GRANT CONNECT"),
  ])
  func `a login that the server refuses has the remedy for just that`(message: String, remedy: String) {
    #expect(PostgresError(.connection, message).loginRemedy?.contains(remedy) == true)
    #expect(PostgresError(.timeout, message).loginRemedy == nil)
  }

  @Test func `a connection that was lost has no remedy for a login`() {
    #expect(PostgresError(.connection, "server closed the connection unexpectedly").loginRemedy == nil)
    #expect(PostgresError(.server, "role \"a\" does not exist", sqlState: "42704").loginRemedy == nil)
  }

  @Test func `a write that a standby refuses closes the connection; in a read-only transaction it stays`()
    async throws
  {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE t (a int)")
    let asked = try await failure {
      try await connection.transaction(readOnly: true) { try await $0.execute("INSERT INTO t VALUES (1)") }
    }
    #expect(asked.code == .server && asked.sqlState == "25006" && connection.isOpen)
    try await connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    let refused = try await failure { try await connection.execute("INSERT INTO t VALUES (1)") }
    #expect(refused.verdict == .connection && refused.sqlState == "25006" && !connection.isOpen)
  }
}
