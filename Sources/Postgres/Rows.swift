/// The rows that a statement returned.
///
/// A statement of up to three columns is decoded by their order and types, a wider one by name:
/// `rows.decodeAll(as: Race.init)`, where `Race.init(_ row: Row)` reads `try row["due_at"]`.
package struct Rows: Sendable {
  private let storage: ResultStorage
  private let sql: String

  init(_ storage: ResultStorage, sql: String) {
    self.storage = storage
    self.sql = sql
  }

  package var count: Int { storage.rowCount }
  package var isEmpty: Bool { count == 0 }

  /// Rows inserted, updated, deleted or selected, from the command tag; 0 where it has no number.
  package var affected: Int { storage.affected }

  /// The command tag, for example `INSERT 0 1`.
  package var tag: String { storage.tag }

  package var columns: [String] { (0..<storage.columnCount).map(storage.name) }

  /// The types of the columns.
  package var types: [PostgresType] { (0..<storage.columnCount).map(storage.type) }

  /// The value that `read` makes of each row.
  package func decodeAll<Value, Failure>(as read: (Row) throws(Failure) -> Value) throws(Failure) -> [Value] {
    let columns = ColumnPositions(storage, sql: sql)
    var decoded: [Value] = []
    decoded.reserveCapacity(count)
    for index in 0..<count { decoded.append(try read(columns.row(index))) }
    return decoded
  }

  /// The value that `read` makes of the only row; throws `rowCount` when there is none or another.
  package func decodeOne<Value>(as read: (Row) throws(PostgresError) -> Value) throws(PostgresError) -> Value {
    try requireOne()
    return try read(ColumnPositions(storage, sql: sql).row(0))
  }

  /// The value that `read` makes of the first row; nil when there is none.
  package func decodeFirst<Value>(as read: (Row) throws(PostgresError) -> Value) throws(PostgresError) -> Value? {
    isEmpty ? nil : try read(ColumnPositions(storage, sql: sql).row(0))
  }

  /// All rows, column by column in their order.
  package func decode<each Value: PostgresDecodable>(
    _ types: repeat (each Value).Type
  ) throws(PostgresError) -> [(repeat each Value)] {
    try requireColumns(repeat each types)
    var decoded: [(repeat each Value)] = []
    decoded.reserveCapacity(count)
    for row in 0..<count {
      var column = 0
      decoded.append((repeat try take((each types), row: row, column: &column)))
    }
    return decoded
  }

  /// The only row; throws `rowCount` when there is none or another.
  package func one<each Value: PostgresDecodable>(
    _ types: repeat (each Value).Type
  ) throws(PostgresError) -> (repeat each Value) {
    try requireOne()
    try requireColumns(repeat each types)
    var column = 0
    return (repeat try take((each types), row: 0, column: &column))
  }

  /// The first row; nil when there is none.
  package func first<each Value: PostgresDecodable>(
    _ types: repeat (each Value).Type
  ) throws(PostgresError) -> (repeat each Value)? {
    try requireColumns(repeat each types)
    guard count > 0 else { return nil }
    var column = 0
    return (repeat try take((each types), row: 0, column: &column))
  }

  private func take<Value: PostgresDecodable>(
    _ type: Value.Type, row: Int, column: inout Int
  ) throws(PostgresError) -> Value {
    defer { column += 1 }
    return try storage.decode(type, row: row, column: column)
  }

  private func requireOne() throws(PostgresError) {
    guard count == 1 else { throw PostgresError(.rowCount, "expected one row, got \(count)") }
  }

  private func requireColumns<each Value>(_ types: repeat (each Value).Type) throws(PostgresError) {
    var wanted = 0
    for _ in repeat each types { wanted += 1 }
    try storage.requireColumns(wanted)
  }
}
