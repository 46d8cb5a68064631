/// One row of a result; its fields are read by the names of their columns.
package struct Row {
  private let columns: ColumnPositions
  private let index: Int

  init(_ columns: ColumnPositions, index: Int) {
    self.columns = columns
    self.index = index
  }

  /// The field of a column.
  ///
  /// Throws `decoding` for a value of another type, and where the result has no such column or several.
  package subscript<Value: PostgresDecodable>(_ column: StaticString) -> Value {
    get throws(PostgresError) {
      let position = try columns.position(of: column)
      return try columns.storage.decode(Value.self, row: index, column: position)
    }
  }
}
