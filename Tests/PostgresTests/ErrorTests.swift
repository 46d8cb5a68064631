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
    #expect(!error.isContention && !error.isConnectionProblem && !error.isResource)
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

  @Test func `classes of SQLSTATE map to their error codes`() {
    func error(_ state: String) -> PostgresError { PostgresError(.server, "x", sqlState: state) }
    for state in ["08006", "57P01", "57P02", "57P03"] { #expect(error(state).isConnectionProblem) }
    for state in ["40001", "40P01", "55P03"] { #expect(error(state).isContention) }
    for state in ["53100", "53300"] { #expect(error(state).isResource) }
    #expect(!error("57014").isConnectionProblem && !error("23505").isContention && !error("57P04").isConnectionProblem)
    #expect(PostgresError(.connection, "x").isConnectionProblem)
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
    #expect(error.isConnectionProblem)
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
    #expect(error.isContention)
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
    #expect(refused.isConnectionProblem && refused.sqlState == "25006" && !connection.isOpen)
  }
}
