/// The positions of a result's columns, each looked up once for all rows.
///
/// A decoder reads the same columns of each row in the same order. So the n-th look-up of a row compares the address of
/// its name, a constant, with the n-th of the row before, and searches only where they differ.
final class ColumnPositions {
  let storage: ResultStorage
  private let sql: String
  private var known: [(name: UnsafePointer<UInt8>, position: Int)] = []
  private var next = 0

  init(_ storage: ResultStorage, sql: String) {
    self.storage = storage
    self.sql = sql
  }

  func row(_ index: Int) -> Row {
    next = 0
    return Row(self, index: index)
  }

  func position(of name: StaticString) throws(PostgresError) -> Int {
    let place = next
    next += 1
    if place < known.count, known[place].name == name.utf8Start { return known[place].position }
    let position = try find("\(name)")
    if place < known.count {
      known[place] = (name.utf8Start, position)
    } else {
      known.append((name.utf8Start, position))
    }
    return position
  }

  private func find(_ name: String) throws(PostgresError) -> Int {
    let found = (0..<storage.columnCount).filter { storage.name($0) == name }
    guard let position = found.first, found.count == 1 else {
      let count = found.isEmpty ? "no column" : "\(found.count) columns"
      let names = (0..<storage.columnCount).map(storage.name).joined(separator: ", ")
      throw PostgresError(.decoding, "\(count) named \"\(name)\" among the columns \(names) of: \(sql)")
    }
    return position
  }
}
