import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
  @Test func `a cancelled task ends its statement at once, and the connection works on`() async throws {
    let (database, connection) = try await connected()
    let observer = try await database.connect()
    let task = Task { try await connection.query("SELECT pg_sleep(60)") }
    try await awaitBackend(connection.backendPID, waitsFor: "Timeout", seenBy: observer)
    task.cancel()
    let error = try await failure { try await task.value }
    #expect(error.code == .cancelled)
    for number in 0..<50 { #expect(try await connection.query("SELECT \(number)").one(Int.self) == number) }
    #expect(await connection.isUsable)
  }

  @Test func `a cancelled transaction is rolled back and its connection is free again`() async throws {
    let (database, connection) = try await connected()
    let observer = try await database.connect()
    try await connection.execute("CREATE TABLE t (a int)")
    let task = Task {
      try await connection.transaction { transaction in
        try await transaction.execute("INSERT INTO t VALUES (1)")
        try await transaction.execute("SELECT pg_sleep(60)")
      }
    }
    try await awaitBackend(connection.backendPID, waitsFor: "Timeout", seenBy: observer)
    task.cancel()
    #expect(try await failure { try await task.value }.code == .cancelled)
    #expect(try await connection.query("SELECT 1 FROM t").isEmpty)
  }

  @Test func `a task that is cancelled already sends nothing`() async throws {
    let (_, connection) = try await connected()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connection.execute("CREATE TABLE t (a int)")
    }
    #expect(try await failure { try await task.value }.code == .cancelled)
    #expect(try await connection.query("SELECT 1 WHERE to_regclass('t') IS NULL").count == 1)
  }

  @Test func `a cancel request ends the running statement, from any task`() async throws {
    let (database, connection) = try await connected()
    let observer = try await database.connect()
    for asks in [
      { await connection.cancel() },
      {
        _ = try await observer.query("SELECT pg_cancel_backend(\(connection.backendPID))")
      },
    ] as [@Sendable () async throws -> Void] {
      let task = Task { try await connection.query("SELECT pg_sleep(60)") }
      try await awaitBackend(connection.backendPID, waitsFor: "Timeout", seenBy: observer)
      try await asks()
      let error = try await failure { try await task.value }
      #expect(error.code == .cancelled)
      #expect(error.sqlState == "57014")
    }
    await connection.cancel()
    #expect(try await connection.query("SELECT 1").count == 1)
  }

  @Test func `the server's time-out is a timeout and leaves the connection usable`() async throws {
    let (_, connection) = try await connected { $0.statementTimeout = .milliseconds(100) }
    let error = try await failure { try await connection.query("SELECT pg_sleep(60)") }
    #expect(error.code == .timeout)
    #expect(error.verdict != .connection)
    #expect(try await connection.query("SELECT 1").count == 1)
  }

  @Test func `the client cancels a statement for which the server has no time-out`() async throws {
    let (_, connection) = try await connected {
      $0.statementTimeout = .milliseconds(100)
      $0.answerGrace = .seconds(3)
    }
    try await connection.execute("SET statement_timeout = 0")
    let error = try await failure { try await connection.query("SELECT pg_sleep(60)") }
    #expect(error.code == .timeout)
    #expect(try await connection.query("SELECT 1").count == 1)
  }

  @Test func `a server that answers neither statement nor cancel request loses the connection`() async throws {
    let (_, connection) = try await connected {
      $0.statementTimeout = .milliseconds(100)
      $0.answerGrace = .milliseconds(300)
    }
    let pid = connection.backendPID
    try #require(kill(pid, SIGSTOP) == 0)
    defer { kill(pid, SIGCONT) }
    let error = try await failure { try await connection.query("SELECT 1") }
    #expect(error.code == .connection)
    #expect(error.message.contains("connection closed"))
    #expect(await !connection.isUsable)
    #expect(try await failure { try await connection.query("SELECT 1") } == error)
  }

  @Test func `a lock time-out is contention`() async throws {
    let (database, connection) = try await connected { $0.lockTimeout = .milliseconds(50) }
    let holder = try await database.connect()
    try await holder.execute("CREATE TABLE t (a int)")
    try await holder.transaction { transaction in
      try await transaction.execute("LOCK TABLE t")
      let error = try await failure { try await connection.query("SELECT * FROM t") }
      #expect(error.code == .server)
      #expect(error.verdict == .contention)
    }
  }
}
