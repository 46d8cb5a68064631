/// A value that can accompany a statement as a bind, in PostgreSQL's binary format.
package protocol PostgresEncodable: Sendable {
  /// The type that is declared to the server.
  static var postgresType: PostgresType { get }

  /// Appends the binary form (big-endian), without a length.
  ///
  /// False, and nothing appended, for NULL.
  func encode(into bytes: inout [UInt8]) -> Bool
}

/// A value that can also be an element of a one-dimensional array.
package protocol PostgresArrayElement: PostgresEncodable {
  static var postgresArrayType: PostgresType { get }

  /// Appends the elements, each with its length before it; true where one of them is NULL.
  ///
  /// A requirement only for speed: each type has its own compiled loop.
  static func encodeElements(_ elements: [Self], into bytes: inout [UInt8]) -> Bool
}

/// An enumeration or identifier with a raw value travels as that raw value.
extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
  package static var postgresType: PostgresType { RawValue.postgresType }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    rawValue.encode(into: &bytes)
  }
}

extension PostgresArrayElement where Self: RawRepresentable, RawValue: PostgresArrayElement {
  package static var postgresArrayType: PostgresType { RawValue.postgresArrayType }
}

extension [UInt8] {
  /// Appends an integer in network byte order.
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
