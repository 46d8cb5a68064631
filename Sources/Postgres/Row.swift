/// One row of a result.
package struct Row: Sendable {
  private let storage: ResultStorage
  private let index: Int

  init(storage: ResultStorage, index: Int) {
    self.storage = storage
    self.index = index
  }

  /// The row's fields in their order.
  package func decode<each Value: PostgresDecodable>(
    _ types: repeat (each Value).Type
  ) throws(PostgresError) -> (repeat each Value) {
    var wanted = 0
    for _ in repeat each types { wanted += 1 }
    try storage.requireColumns(wanted)
    var column = 0
    return (repeat try take((each types), column: &column))
  }

  /// The first field with that name.
  package func decode<Value: PostgresDecodable>(_ column: String, as type: Value.Type) throws(PostgresError) -> Value {
    guard let position = (0..<storage.columnCount).first(where: { storage.name($0) == column }) else {
      throw PostgresError(.decoding, "there is no column \"\(column)\"")
    }
    return try storage.decode(type, row: index, column: position)
  }

  private func take<Value: PostgresDecodable>(_ type: Value.Type, column: inout Int) throws(PostgresError) -> Value {
    defer { column += 1 }
    return try storage.decode(type, row: index, column: column)
  }
}
