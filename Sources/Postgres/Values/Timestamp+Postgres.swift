/// An instant travels as `timestamptz`: microseconds since 2000-01-01T00:00:00Z.
extension Timestamp: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .timestamptz }
  package static var postgresArrayType: PostgresType { .timestamptzArray }

  /// 2000-01-01T00:00:00Z.
  private static let epoch: Int64 = 946_684_800_000_000

  /// An instant before PostgreSQL's first is sent as one that the server refuses, never as `-infinity`.
  package func encode(into bytes: inout [UInt8]) -> Bool {
    let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epoch)
    bytes.append(bigEndian: overflow ? Int64.min + 1 : max(value, Int64.min + 1))
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Timestamp {
    let value = try cell.bytes(of: .timestamptz, for: Self.self).only(Int64.self)
    guard value != .min, value != .max else { throw Mismatch(wanted: "Timestamp", got: "infinity") }
    let (microseconds, overflow) = value.addingReportingOverflow(epoch)
    guard !overflow else { throw Mismatch(wanted: "Timestamp", got: "an instant after the year 294246") }
    return Timestamp(microseconds: microseconds)
  }
}
