package import Postgres

/// The identity of a row: its table, and its key there.
package enum RowID: Hashable, Sendable {
  /// An item of a job, as any module keeps it.
  case item(job: String, key: Int64)
  /// A row that several items need, such as a wallet.
  case resource(Int64)
  case failure(job: String, key: Int64)
  case lease(job: String, key: Int64)
  /// Whether operators paused a job.
  case pause(job: String)
  case node(String)
  /// A node's stop of the clock.
  case clockStop(node: String)
  /// A node's finding of a restored database, until an operator accepts it.
  case restoration(node: String)
  /// The business clock.
  case clock

  package var job: String {
    switch self {
    case .item(let job, _), .failure(let job, _), .lease(let job, _), .pause(let job): job
    default: ""
    }
  }

  package var key: Int64 {
    switch self {
    case .item(_, let key), .resource(let key), .failure(_, let key), .lease(_, let key): key
    default: 0
    }
  }
}

/// What a row holds.
package enum Content: Hashable, Sendable {
  case item(Item)
  case resource(Int64)
  case failure(Failure)
  case lease(Lease)
  case pause(Bool)
  case node(Node)
  case clockStop(ClockStop)
  /// The jobs that stop.
  case restoration(Set<String>)
  /// The time that was set; nil: real time.
  case clock(Timestamp?)
}

extension Content {
  package struct Item: Hashable, Sendable {
    /// Business time.
    package var dueAt: Timestamp
    package var isDone = false
    /// How often it was finished.
    package var served: Int64 = 0

    package init(dueAt: Timestamp) {
      self.dueAt = dueAt
    }
  }

  /// An item's failed attempts. Times are real.
  package struct Failure: Hashable, Sendable {
    package var attempts: Int64
    package var lastAt: Timestamp
    package var nextAttemptAt: Timestamp
    package var isQuarantined = false

    /// Whether the item stands back now.
    func holdsBack(at now: Timestamp) -> Bool { isQuarantined || lastAt <= now && now < nextAttemptAt }
  }

  package struct Lease: Hashable, Sendable {
    package let owner: String
    /// No two leases share it; zero until the row is written.
    package var generation: UInt64 = 0
    /// Real time.
    package let takenAt: Timestamp
  }

  /// A node's row. Times are real.
  package struct Node: Hashable, Sendable {
    package var state = "stopped"
    package var startedAt: Timestamp
    package var seenAt: Timestamp
    package var needsNotify = false
    package var beats: Int64 = 0
    /// The session that holds the node's name: until the session ends, nobody else gets it.
    package var holder: SessionID?
  }

  package struct ClockStop: Hashable, Sendable {
    package var difference: Duration
    package var isLifted = false
    package var isAccepted = false

    package var bindsAll: Bool { !isLifted && !isAccepted }
  }
}

extension Content {
  var item: Item? { if case .item(let item) = self { item } else { nil } }
  package var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
  package var lease: Lease? { if case .lease(let lease) = self { lease } else { nil } }
  package var node: Node? { if case .node(let node) = self { node } else { nil } }
  var clockStop: ClockStop? { if case .clockStop(let stop) = self { stop } else { nil } }
  var restoration: Set<String>? { if case .restoration(let jobs) = self { jobs } else { nil } }
}
