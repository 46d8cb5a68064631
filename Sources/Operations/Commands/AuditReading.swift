import Postgres
import TextCoding

/// Pages of the audit, newest first.
enum AuditReading {
  static func page(_ filter: AuditHandlers.Filter, limit: Int64) -> Statement {
    """
    SELECT a.id, settled.iso(a.at) AS at, a.uid, a.gid, a.pid, a.command, a.target, a.before, a.after, a.reason,
      a.request_id
    FROM settled.audit AS a WHERE \(fragment: condition(filter)) ORDER BY a.id DESC LIMIT \(limit)
    """
  }

  private static func condition(_ filter: AuditHandlers.Filter) -> Statement {
    var condition: Statement = "true"
    if let after = filter.after { condition = "\(fragment: condition) AND a.id < \(after)" }
    if let from = filter.from { condition = "\(fragment: condition) AND a.at >= \(from)" }
    if let uid = filter.uid { condition = "\(fragment: condition) AND a.uid = \(uid)" }
    if let command = filter.command { condition = "\(fragment: condition) AND a.command = \(command)" }
    if let target = filter.target { condition = "\(fragment: condition) AND a.target = \(target)" }
    return condition
  }

  struct Entry {
    let uid: UInt32
    private let id: Int64
    private let members: [(String, JSONValue)]

    init(_ row: Row) throws(PostgresError) {
      let requestId: String? = try row["request_id"]
      uid = UInt32(clamping: try row["uid"] as Int64)
      id = try row["id"]
      members = [
        ("id", .integer(id)), ("at", .text(try row["at"])), ("uid", .integer(Int64(uid))),
        ("gid", .integer(try row["gid"])), ("pid", .integer(try row["pid"])), ("command", .text(try row["command"])),
        ("target", .text(try row["target"])), ("before", .encoded((try row["before"] as JSON).text)),
        ("after", .encoded((try row["after"] as JSON).text)), ("reason", .optional(try row["reason"])),
        ("requestId", .optional(requestId)), ("client", .optional(Self.client(requestId))),
      ]
    }

    /// `user`: nil if this machine has no such user.
    func json(_ user: String?) -> JSONValue {
      .object(members + [("user", .optional(user)), ("cursor", .text(String(id)))])
    }

    /// The program that prefixes its request id with its name: `dashboard:`.
    ///
    /// Source: ControlServer.docc/Repetition.md.
    static func client(_ requestId: String?) -> String? {
      guard let requestId, let match = requestId.prefixMatch(of: /([a-z][a-z0-9-]{0,30}):/) else { return nil }
      return String(match.1)
    }
  }
}
