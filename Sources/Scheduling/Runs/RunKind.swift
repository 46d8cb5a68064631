import Postgres

/// The kind of a run: each kind has its own slots, so that neither waits for the other.
enum RunKind: Sendable {
  /// Runs of operators' functions.
  case operators
  /// Runs of the daemon's own schedules that this program has. Those of a newer program are left to its nodes, so that
  /// nodes can be upgraded one by one.
  case builtIn([String])

  /// SQL: whether run `r` is of the kind.
  var condition: String {
    switch self {
    case .operators: "NOT r.is_own"
    case .builtIn: "r.is_own"
    }
  }

  /// SQL: whether it is, and this program can carry it out.
  var known: String {
    switch self {
    case .operators: condition
    case .builtIn(let names): "\(condition) AND r.schedule = ANY('{\(names.joined(separator: ","))}')"
    }
  }
}

/// The key of a run.
struct RunKey: Sendable, Hashable {
  let schedule: String
  let instant: Timestamp
}

extension RunKey {
  init(_ row: Row) throws(PostgresError) {
    self.init(schedule: try row["schedule"], instant: try row["instant"])
  }
}
