/// An absent value is NULL.
extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
  package static var postgresType: PostgresType { Wrapped.postgresType }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    self?.encode(into: &bytes) ?? false
  }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement {
  package static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
  package static func decode(_ cell: Cell) throws(Mismatch) -> Wrapped? {
    cell.bytes == nil ? nil : try Wrapped.decode(cell)
  }
}
