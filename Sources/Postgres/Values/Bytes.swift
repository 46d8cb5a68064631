/// A byte string; it travels as `bytea`.
///
/// A type of its own, because `[UInt8]` would read as an array of numbers.
package struct Bytes: Hashable, Sendable {
  package let array: [UInt8]

  package init(_ array: [UInt8]) {
    self.array = array
  }
}

extension Bytes: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .bytea }
  package static var postgresArrayType: PostgresType { .byteaArray }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(contentsOf: array)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Bytes {
    Bytes([UInt8](try cell.bytes(of: .bytea, for: Self.self)))
  }
}
