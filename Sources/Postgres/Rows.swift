/// The rows that a statement returned.
package struct Rows: Sendable, RandomAccessCollection {
  private let storage: ResultStorage

  init(_ storage: ResultStorage) {
    self.storage = storage
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { storage.rowCount }

  package subscript(position: Int) -> Row {
    precondition(indices.contains(position), "a row outside of the result")
    return Row(storage: storage, index: position)
  }

  /// Rows inserted, updated, deleted or selected, from the command tag; 0 where it has no number.
  package var affected: Int { storage.affected }

  /// The command tag, for example `INSERT 0 1`.
  package var tag: String { storage.tag }

  package var columns: [String] { (0..<storage.columnCount).map(storage.name) }

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
    guard count == 1 else { throw PostgresError(.rowCount, "wanted one row, got \(count)") }
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

  private func requireColumns<each Value>(_ types: repeat (each Value).Type) throws(PostgresError) {
    var wanted = 0
    for _ in repeat each types { wanted += 1 }
    try storage.requireColumns(wanted)
  }
}
