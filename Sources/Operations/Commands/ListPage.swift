import ControlAPI
import TextCoding
import Engine
package import Postgres

/// The page of a list that a call requests: at most `limit` rows after the cursor `after`.
///
/// To callers a cursor is opaque. It is the key of the last row of the previous page, so that no row is lost or shown
/// twice while others are added and removed.
package struct ListPage: Sendable {
  package let limit: Int64
  /// Nil at the start of the list.
  package let after: Int64?

  /// Throws `CommandError` with the rule `limit` or `after`.
  package init(_ call: CommandCall, limit standard: Int64 = 50, upTo max: Int64 = 200) throws(CommandError) {
    limit = call.integer("limit") ?? standard
    guard (1...max).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and \(max)")
    }
    guard let text = call.text("after") else {
      after = nil
      return
    }
    guard let key = Int64(text), key > 0, String(key) == text else {
      throw CommandError(.usage, rule: "after", "after must be the value of next from the previous page")
    }
    after = key
  }

  /// How many rows to read: one more than `limit` shows that there is a next page.
  package var readMax: Int64 { limit + 1 }

  /// The rows of at most `readMax` that were read, each with its key, and the cursor of the next page.
  package func json(_ rows: [(Int64, JSON)]) -> JSON {
    let shown = rows.prefix(Int(limit))
    let next = rows.count > shown.count ? shown.last.map { JSONValue.text(String($0.0)) } : nil
    return JSONValue.object([
      ("rows", .array(shown.map { .raw($0.1) })), ("next", next ?? .null),
    ]).json
  }
}
