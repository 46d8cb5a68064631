import Postgres
import TextCoding

/// The settings, each with its last change.
///
/// A range of one key keeps the planner on the index of changes: with equality it may scan the whole audit backwards.
enum SettingStatements {
  static let all: Statement = """
    SELECT s.key, coalesce(s.value, s.default_value) AS value, s.default_value, s.meaning,
      settled.iso(c.at) AS changed_at, c.uid AS changed_by
    FROM settled.setting AS s LEFT JOIN LATERAL (
      SELECT a.at, a.uid FROM settled.audit AS a
      WHERE a.command = 'set' AND a.target COLLATE "C" BETWEEN s.key AND s.key
      ORDER BY a.target COLLATE "C" DESC, a.id DESC LIMIT 1) AS c ON true
    ORDER BY s.key
    """

  struct Setting {
    let changedBy: UInt32?
    private let members: [(String, JSONValue)]

    init(_ row: Row) throws(PostgresError) {
      changedBy = (try row["changed_by"] as Int64?).map { UInt32(clamping: $0) }
      members = [
        ("key", .text(try row["key"])), ("value", .text(try row["value"])),
        ("default", .text(try row["default_value"])), ("meaning", .text(try row["meaning"])),
        ("changedAt", .optional(try row["changed_at"])),
      ]
    }

    /// The user's name, or `uid 7` if this machine has no name for it.
    func json(_ names: [UInt32: String]) -> JSONValue {
      .object(members + [("changedBy", .optional(changedBy.map { names[$0] ?? "uid \($0)" }))])
    }
  }
}
