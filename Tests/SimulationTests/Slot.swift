import Postgres
import Simulation
import TestSupport

/// The sessions of a history: those of two nodes, one that a node listens with, and two of apps.
enum Slot: Int, CaseIterable, Comparable, Sendable {
  case a, second, b, listener, app, other

  /// The node whose session it is.
  var node: String {
    switch self {
    case .a, .second, .listener: "a"
    case .b: "b"
    case .app, .other: ""
    }
  }

  var role: SettledDatabase.Role { node.isEmpty ? .owner : .daemon }

  static func < (left: Slot, right: Slot) -> Bool { left.rawValue < right.rawValue }
}

/// One step of a history.
enum Act: Sendable {
  case begin(Slot)
  case commit(Slot)
  case rollback(Slot)
  case run(Slot, DatabaseModel.Statement)
  /// A statement with a lock time-out, which is waited out, in an open transaction.
  case runImpatiently(Slot, DatabaseModel.Statement)
  /// A waiting statement is cancelled.
  case cancel(Slot)
  /// The session is ended, and another one takes its place.
  case lose(Slot)
  /// The same after a commit: its answer is lost.
  case loseCommit(Slot)

  var slot: Slot {
    switch self {
    case .begin(let slot), .commit(let slot), .rollback(let slot), .cancel(let slot), .lose(let slot),
      .loseCommit(let slot), .run(let slot, _), .runImpatiently(let slot, _):
      slot
    }
  }

  var statement: DatabaseModel.Statement? {
    switch self {
    case .run(_, let statement), .runImpatiently(_, let statement): statement
    default: nil
    }
  }
}

/// What a history begins with, on both sides.
enum Beginning {
  /// Business time.
  static let clock = Instant.hour(0)
  static let jobs = ["chore", "errand"]
  static let keys: ClosedRange<Int64> = 1...4
  static let resources: ClosedRange<Int64> = 1...2
  /// An item is due so many hours after `clock`: half of them are due.
  static func hour(of key: Int64) -> Int64 { key - 3 }
  /// A node that has not been seen for long, is marked, and has no session.
  static let silentNode = "c"
  static let silence: Duration = .seconds(600)

  static let leaseOverdue: Duration = .seconds(7651)
  /// As the policy of `Translator`.
  static let retries = DatabaseModel.RetryPauses([.seconds(1300), .seconds(3900), .seconds(6700)], attemptsMax: 3)
  static let jump: Duration = .seconds(600)
}

/// Business time, in hours since 2031-01-01T00:00:00Z.
enum Instant {
  static func hour(_ hour: Int64) -> Timestamp { Timestamp(microseconds: (1_924_992_000 + hour * 3600) * 1_000_000) }
}
