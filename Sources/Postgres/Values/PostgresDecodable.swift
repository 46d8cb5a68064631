/// A value that can be read from a column of a result in PostgreSQL's binary format.
package protocol PostgresDecodable: Sendable {
  /// Reads the value.
  ///
  /// Throws `Mismatch` for NULL (except into an optional), for another type, and for a value out of range.
  static func decode(_ cell: Cell) throws(Mismatch) -> Self

  /// Reads the elements of an array, each with its length before it; nil where the bytes end before they do.
  ///
  /// A requirement only for speed: each type has its own compiled loop.
  static func decodeElements(
    _ count: Int, type: PostgresType, from bytes: UnsafeRawBufferPointer
  ) throws(Mismatch) -> [Self]?
}

extension PostgresDecodable {
  package static func decodeElements(
    _ count: Int, type: PostgresType, from bytes: UnsafeRawBufferPointer
  ) throws(Mismatch) -> [Self]? {
    var elements: [Self] = []
    elements.reserveCapacity(count)
    var offset = 0
    for _ in 0..<count {
      guard let length = bytes.integer(at: offset, as: Int32.self), length <= bytes.count - offset - 4 else {
        return nil
      }
      offset += 4
      let field = length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
      elements.append(try decode(Cell(type: type, bytes: field)))
      offset += field?.count ?? 0
    }
    return elements
  }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
  package static func decode(_ cell: Cell) throws(Mismatch) -> Self {
    guard let value = Self(rawValue: try RawValue.decode(cell)) else {
      throw Mismatch(wanted: "\(Self.self)", got: "an unknown value")
    }
    return value
  }
}
