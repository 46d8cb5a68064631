import Engine
package import Postgres
import Cron

extension Schedule {
  /// The columns of `settled.schedule` (here `s`) that `init(_:)` decodes.
  package static let columns = """
    s.name, s.cron, s.at, s.zone, s.call, s.missed, s.runs_max,
    (1e6 * extract(epoch FROM s.within))::bigint, (1e6 * extract(epoch FROM s.timeout))::bigint,
    (1e6 * extract(epoch FROM s.splay))::bigint
    """

  package typealias Fields = (
    String, String?, Timestamp?, String, String?, String, Int32?, Int64?, Int64, Int64
  )

  package init(_ row: Fields) {
    self.init(
      name: row.0, cron: row.1, at: row.2, zone: row.3, call: row.4,
      missed: MissedPolicy(row.5, max: row.6, within: row.7.map { .microseconds($0) }),
      timeout: .microseconds(row.8), splay: .microseconds(row.9))
  }

  /// The schedule of this name, unlocked; nil where there is none.
  package static func read(_ name: String, _ session: some Session) async throws -> Schedule? {
    let row = try await session.query(
      "SELECT \(raw: columns) FROM settled.schedule AS s WHERE s.name = \(name)"
    ).first(
      String.self, String?.self, Timestamp?.self, String.self, String?.self, String.self, Int32?.self, Int64?.self,
      Int64.self, Int64.self)
    return row.map { Schedule($0) }
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
