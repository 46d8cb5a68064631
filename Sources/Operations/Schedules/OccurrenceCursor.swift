import Postgres

/// The position after a row of occurrences: its instant and its number, which distinguishes rows of one instant.
struct OccurrenceCursor: Equatable {
  let instant: Timestamp
  let id: Int64

  /// Of the years 1 to 9999.
  private static let microseconds: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

  /// Throws the usage error if it is not the cursor of a row.
  init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int64($0) }
    guard parts.count == 2, Self.microseconds.contains(parts[0]), parts[1] > 0,
      text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") })
    else {
      throw CommandError(.usage, rule: "after", "after is not an occurrence cursor")
    }
    instant = Timestamp(microseconds: parts[0])
    id = parts[1]
  }

  /// SQL of a row's cursor.
  static let column = "(1e6 * extract(epoch FROM o.instant))::bigint || '.' || o.id"
}
