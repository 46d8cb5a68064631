import Postgres

/// The place behind a row of occurrences: its instant and its number, which rows of one instant differ in.
struct OccurrenceCursor: Equatable {
  let instant: Timestamp
  let id: Int64

  /// Throws the usage error where it is not the cursor of a row.
  init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int64($0) }
    guard parts.count == 2, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else {
      throw CommandError(.usage, rule: "after", "after is not the cursor of an occurrence")
    }
    instant = Timestamp(microseconds: parts[0])
    id = parts[1]
  }

  /// SQL of a row's cursor.
  static let column = "(1e6 * extract(epoch FROM o.instant))::bigint || '.' || o.id"
}
