import Postgres
import TestSupport
import Testing

@Suite struct ValueTests {
  private func roundTrip<Value: PostgresEncodable & PostgresDecodable & Equatable>(
    _ values: [Value], on connection: Connection, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for value in values {
      let back = try await connection.query("SELECT \(value)").one(Value.self)
      #expect(back == value, sourceLocation: sourceLocation)
    }
  }

  @Test func `every scalar type comes back as it went`() async throws {
    let (_, connection) = try await connected()
    try await roundTrip([true, false], on: connection)
    try await roundTrip([Int16.min, -1, 0, 1, .max], on: connection)
    try await roundTrip([Int32.min, -1, 0, 1, .max], on: connection)
    try await roundTrip([Int64.min, -1, 0, 1, .max], on: connection)
    try await roundTrip([Int.min, -1, 0, 1, .max], on: connection)
    try await roundTrip([-.infinity, -0.0, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude], on: connection)
    try await roundTrip(["", "it's", "\u{1F3C1} 1ére\n\"$1\""], on: connection)
    try await roundTrip([Bytes([]), Bytes([0, 255, 10])], on: connection)
    try await roundTrip([JSON(text: #"{"a": [1, null]}"#), JSON(text: "null")], on: connection)
    try await roundTrip(
      [0, 1_728_988_200_123_456, -1, 9_000_000_000_000_000, .max].map(Timestamp.init), on: connection)
    try await roundTrip([nil, 5] as [Int?], on: connection)
    try await roundTrip([nil, ""] as [String?], on: connection)
    let nan = try await connection.query("SELECT \(Double.nan)").one(Double.self)
    #expect(nan.isNaN)
  }

  @Test func `arrays come back with their NULLs, empty and long ones too`() async throws {
    let (_, connection) = try await connected()
    try await roundTrip([[], [true, false]], on: connection)
    try await roundTrip([[], [Int16.min, 0, .max]], on: connection)
    try await roundTrip([[], [Int32.min, 0, .max]], on: connection)
    try await roundTrip([[], [1, nil, 3], [nil]] as [[Int?]], on: connection)
    try await roundTrip([[], ["", nil, "a,b", "NULL", "{}"]] as [[String?]], on: connection)
    try await roundTrip([[], [0.5, -1]] as [[Double]], on: connection)
    try await roundTrip([[], [Bytes([]), Bytes([7])]], on: connection)
    try await roundTrip([[], [Timestamp(microseconds: 1), nil]] as [[Timestamp?]], on: connection)
    try await roundTrip([[], [JSON(text: "[1]")]], on: connection)
    try await roundTrip([nil, [1]] as [[Int]?], on: connection)
    try await roundTrip([Array(0..<100_000)], on: connection)
    try await roundTrip([(0..<100_000).map { $0 % 7 == 0 ? nil : "item \($0)" }] as [[String?]], on: connection)
  }

  @Test func `the server reads sent values as they were meant`() async throws {
    let (_, connection) = try await connected()
    let instant = Timestamp(microseconds: 1_728_988_200_123_456)
    let row = try await connection.query(
      """
      SELECT \(instant)::text, (\(JSON(text: #"{"a": 7}"#)) ->> 'a')::int, \([1, 2, 3])::text, \(Bytes([222, 173]))::text,
        \(0.5)::text, \(true)::text, \(["a", nil, "b"] as [String?])::text, encode(\(Bytes([1])), 'hex')
      """
    ).one(String.self, Int.self, String.self, String.self, String.self, String.self, String.self, String.self)
    #expect(row.0 == "2024-10-15 10:30:00.123456+00")
    #expect(row.1 == 7)
    #expect([row.2, row.3, row.4, row.5, row.6, row.7] == ["{1,2,3}", "\\xdead", "0.5", "true", "{a,NULL,b}", "01"])
  }

  @Test func `narrower types and relatives of text can be read`() async throws {
    let (_, connection) = try await connected()
    let row = try await connection.query(
      "SELECT 1::int2, 2::int4, 3::oid, 1.5::float4, 'n'::name, 'v'::varchar, 'c'::char(3), '{}'::json, '{}'::json, 'u'"
    ).one(
      Int.self, Int64.self, Int.self, Double.self, String.self, String.self, String.self, String.self, JSON.self,
      String.self)
    #expect((row.0, row.1, row.2, row.3) == (1, 2, 3, 1.5))
    #expect([row.4, row.5, row.6, row.7, row.8.text, row.9] == ["n", "v", "c  ", "{}", "{}", "u"])
  }

  private enum Colour: String, PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    case red, green
  }

  @Test func `an enumeration travels as its raw value`() async throws {
    let (_, connection) = try await connected()
    let row = try await connection.query("SELECT \(Colour.red), \([Colour.green, .red])").one(
      Colour.self, [Colour].self)
    #expect(row.0 == .red)
    #expect(row.1 == [.green, .red])
    let error = try await failure { try await connection.query("SELECT 'blue'").one(Colour.self) }
    #expect(error.message.contains("an unknown value"))
  }

  @Test(arguments: [
    ("SELECT 'infinity'::timestamptz", "Timestamp", "infinity"),
    ("SELECT '-infinity'::timestamptz", "Timestamp", "infinity"),
    ("SELECT '294276-12-31 23:59:59Z'::timestamptz", "Timestamp", "294246"),
    ("SELECT 1::numeric", "Timestamp", "numeric"),
    ("SELECT NULL::timestamptz AS missing", "Timestamp", "NULL"),
  ])
  func `an unreadable value is an error that names its type`(
    _ sql: String, wanted: String, got: String
  ) async throws {
    let (_, connection) = try await connected()
    let error = try await failure { try await connection.query(Statement(raw: sql)).one(Timestamp.self) }
    #expect(error.code == .decoding)
    #expect(error.message.contains(wanted) && error.message.contains(got), "\(error.message)")
  }

  @Test func `a decoding error names the column, the wanted type and the type that was there`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query("SELECT 1 AS first, 'x'::text AS second UNION ALL SELECT 2, 'y'")
    var error = try await failure { try rows.decode(Int.self, Int.self) }
    #expect(error.message == #"column "second" (2 of 2), row 1: expected Int, got text"#)
    error = try await failure { try rows.decode(Int.self) }
    #expect(error.message == "expected 1 columns, got 2: first, second")
    error = try await failure { try rows.one(Int.self, String.self) }
    #expect(error.code == .rowCount)
    #expect(try rows.first(Int.self, String.self)?.1 == "x")
    #expect(try rows.decode(Int.self, String.self).map(\.0) == [1, 2])
    error = try await failure { try await connection.query("SELECT ARRAY[[1,2],[3,4]]::int8[]").one([Int].self) }
    #expect(error.message.contains("2 dimensions"))
    error = try await failure { try await connection.query("SELECT ARRAY[1, NULL]::int8[]").one([Int].self) }
    #expect(error.message.contains("NULL"))
  }

  @Test func `a timestamp out of PostgreSQL's range is refused, never taken as infinity`() async throws {
    let (_, connection) = try await connected()
    for value: Int64 in [.min, .min + 1, -220_000_000_000_000_000] {
      let error = try await failure { try await connection.query("SELECT \(Timestamp(microseconds: value))") }
      #expect(error.sqlState == "22008")
    }
  }

  @Test func `affected rows, tag and columns are those of the command`() async throws {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE t (a bigint, b text)")
    let inserted = try await connection.query("INSERT INTO t SELECT n, 'x' FROM generate_series(1, 5) n RETURNING a, b")
    #expect(inserted.affected == 5)
    #expect(inserted.tag == "INSERT 0 5")
    #expect(inserted.columns == ["a", "b"])
    #expect(try await connection.execute("DELETE FROM t WHERE a = ANY(\([1, 2, 9]))") == 2)
  }
}
