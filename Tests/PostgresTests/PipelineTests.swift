import Postgres
import Synchronization
import TestSupport
import Testing

@Suite struct PipelineTests {
  @Test func `several statements answer in their order, one of them twice`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.pipeline(["SELECT \(1)", "SELECT \("a")", "SELECT \(2)", ""])
    #expect(rows.count == 4)
    #expect(try rows[0].one(Int.self) == 1)
    #expect(try rows[1].one(String.self) == "a")
    #expect(try rows[2].one(Int.self) == 2)
    #expect(try await connection.pipeline([]).isEmpty)
  }

  @Test func `the first error of a pipeline is thrown, nothing takes effect, and the connection works`() async throws {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE t (a bigint PRIMARY KEY)")
    let error = try await failure {
      try await connection.pipeline([
        "INSERT INTO t VALUES (\(1))", "INSERT INTO t VALUES (\(1))", "INSERT INTO nothing VALUES (\(2))",
      ])
    }
    #expect(error.sqlState == "23505")
    #expect(try await connection.query("SELECT count(*) FROM t").one(Int.self) == 0)
    #expect(await connection.isUsable)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `large arrays in both directions do not block each other`(_ prepared: Bool) async throws {
    let (_, connection) = try await connected { $0.preparedStatements = prepared }
    let text = String(repeating: "0123456789abcdef", count: 5 * 65_536)
    let numbers = Array(0..<700_000)
    let rows = try await connection.pipeline([
      "SELECT \(text)", "SELECT \(numbers)", "SELECT \(text)", "SELECT repeat('x', 5000000)", "SELECT \(numbers)",
    ])
    #expect(try rows[0].one(String.self) == text)
    #expect(try rows[1].one([Int].self) == numbers)
    #expect(try rows[2].one(String.self) == text)
    #expect(try rows[3].one(String.self).utf8.count == 5_000_000)
    #expect(try rows[4].one([Int].self) == numbers)
  }

  /// Statements of a megabyte each, so that a pipeline of them is sent in parts.
  private static func insert(_ number: Int) -> Statement {
    "INSERT INTO t VALUES (\(number), length(\(String(repeating: "x", count: 1 << 20))))"
  }

  @Test(arguments: [true, false])
  func `an error in an early part of a large pipeline undoes all of it, and the connection works`(_ prepared: Bool)
    async throws
  {
    let (_, connection) = try await connected { $0.preparedStatements = prepared }
    try await connection.execute("CREATE TABLE t (a bigint PRIMARY KEY, b int)")
    let statements = [Self.insert(1), Self.insert(2), Self.insert(1), Self.insert(3)]
    for isInTransaction in [true, false] {
      let error = try await failure {
        _ =
          isInTransaction
          ? try await connection.transaction { try await $0.pipeline(statements) }
          : try await connection.pipeline(statements)
      }
      #expect(error.sqlState == "23505")
      #expect(try await connection.query("SELECT count(*) FROM t").one(Int.self) == 0)
    }
    let rows = try await connection.transaction {
      try await $0.pipeline((1...5).map(Self.insert) + ["SELECT count(*) FROM t"])
    }
    #expect(try rows[5].one(Int.self) == 5)
  }

  private final class SeenError: Sendable {
    let error = Mutex<PostgresError?>(nil)
  }

  @Test(arguments: [1, 2, 5])
  func `a transaction that is cancelled between two parts can only be rolled back, and the connection works`(part: Int)
    async throws
  {
    let work = Mutex<Task<Void, any Error>?>(nil)
    let seen = SeenError()
    let (_, connection) = try await connected {
      $0.onNotice = { if $0.message == "\(part)" { work.withLock { $0?.cancel() } } }
    }
    try await connection.script(
      """
      CREATE TABLE t (a bigint PRIMARY KEY, b int);
      CREATE FUNCTION noticed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', NEW.a; RETURN NEW; END $$;
      CREATE TRIGGER noticed AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION noticed();
      """)
    work.withLock {
      $0 = Task {
        try await connection.transaction { transaction in
          // As a caller that goes its own way after an error.
          do {
            _ = try await transaction.pipeline((1...6).map(Self.insert))
          } catch let error as PostgresError {
            seen.error.withLock { $0 = error }
          }
        }
      }
    }
    let task = try #require(work.withLock { $0 })
    // By the server as well, where its part was not quite done.
    _ = try await failure { try await task.value }
    let error = try #require(seen.error.withLock { $0 })
    #expect(error.code == .cancelled && error.sqlState == "57014", "\(error)")
    #expect(try await connection.query("SELECT count(*) FROM t").one(Int.self) == 0)
  }

  @Test func `tasks that share a connection take turns`() async throws {
    let (_, connection) = try await connected()
    let values = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask { try await connection.query("SELECT \(number)").one(Int.self) }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
    }
    #expect(values == Array(0..<200))
  }

  @Test func `a script runs all of its statements or none`() async throws {
    let (_, connection) = try await connected()
    try await connection.script("CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2); SELECT * FROM a")
    let error = try await failure { try await connection.script("CREATE TABLE b (x int); SELECT 1/0; SELECT 1") }
    #expect(error.sqlState == "22012")
    let row = try await connection.query("SELECT (SELECT count(*) FROM a), to_regclass('b') IS NULL").one(
      Int.self, Bool.self)
    #expect(row.0 == 2)
    #expect(row.1)
  }

  @Test func `COPY is refused and costs the connection`() async throws {
    for isScript in [true, false] {
      let (_, connection) = try await connected()
      let error = try await failure {
        if isScript {
          try await connection.script("COPY (SELECT 1) TO STDOUT")
        } else {
          try await connection.execute("COPY (SELECT 1) TO STDOUT")
        }
      }
      #expect([.usage, .connection].contains(error.code), "\(error)")
      #expect(await !connection.isUsable)
    }
  }

  @Test func `too many binds and NUL characters are refused before they are sent`() async throws {
    let (_, connection) = try await connected()
    var list: Statement = "SELECT 1 WHERE 1 IN (1"
    #expect(try await failure { try await connection.query("SELECT 1 \(raw: "\0")") }.code == .usage)
    list = (0..<65_536).reduce(into: StatementBuilder(list)) { $0.add($1) }.statement
    #expect(try await failure { try await connection.query(list) }.code == .usage)
    #expect(try await connection.query("SELECT 1").count == 1)
    #expect(try await failure { try await connection.query("SELECT \("a\0b")") }.sqlState == "22021")
  }

  /// Collects binds without splicing each time.
  private struct StatementBuilder {
    var interpolation = Statement.StringInterpolation(literalCapacity: 0, interpolationCount: 65_536)

    init(_ start: Statement) {
      interpolation.appendInterpolation(fragment: start)
    }

    mutating func add(_ value: Int) {
      interpolation.appendLiteral(", ")
      interpolation.appendInterpolation(value)
    }

    var statement: Statement { Statement(stringInterpolation: interpolation) }
  }
}
