import Engine
package import Postgres
import Cron

extension Schedule {
  /// The columns of `settled.schedule` (here `s`) that `init(_:)` decodes.
  package static let columns = """
    s.name, s.cron, s.at, s.zone, s.call, s.missed, s.runs_max,
    (1e6 * extract(epoch FROM s.within))::bigint AS within, (1e6 * extract(epoch FROM s.timeout))::bigint AS timeout,
    (1e6 * extract(epoch FROM s.splay))::bigint AS splay
    """

  package init(_ row: Row) throws(PostgresError) {
    let within = (try row["within"] as Int64?).map { Duration.microseconds($0) }
    self.init(
      name: try row["name"], cron: try row["cron"], at: try row["at"], zone: try row["zone"], call: try row["call"],
      missed: MissedPolicy(try row["missed"], max: try row["runs_max"], within: within),
      timeout: .microseconds(try row["timeout"] as Int64), splay: .microseconds(try row["splay"] as Int64))
  }

  /// The schedule of this name, unlocked; nil if there is none.
  package static func read(_ name: String, _ session: some Session) async throws -> Schedule? {
    try await session.query(named([name])).decodeFirst(as: Schedule.init)
  }

  /// Reads the schedules of these names, unlocked.
  static func named(_ names: [String]) -> Statement {
    "SELECT \(raw: columns) FROM settled.schedule AS s WHERE s.name = ANY(\(names))"
  }

  /// The policy's columns: name, max and within in microseconds.
  package var missedColumns: (name: String, max: Int32?, within: Int64?) {
    switch missed {
    case .skip: ("skip", nil, nil)
    case .once: ("once", nil, nil)
    case .all(let max, let within): ("all", Int32(clamping: max), within.microseconds)
    }
  }
}

extension MissedPolicy {
  init(_ name: String, max: Int32?, within: Duration?) {
    switch (name, max, within) {
    case ("skip", _, _): self = .skip
    case ("all", .some(let max), .some(let within)): self = .all(max: Int(max), within: within)
    default: self = .once
    }
  }
}
