/// A value that can be read from a column of a result in PostgreSQL's binary format.
package protocol PostgresDecodable: Sendable {
  /// Reads the value.
  ///
  /// Throws `Mismatch` for NULL (except into an optional), for another type, and for a value out of range.
  static func decode(_ cell: Cell) throws(Mismatch) -> Self
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
  package static func decode(_ cell: Cell) throws(Mismatch) -> Self {
    guard let value = Self(rawValue: try RawValue.decode(cell)) else {
      throw Mismatch(wanted: "\(Self.self)", got: "a value that it does not know")
    }
    return value
  }
}
