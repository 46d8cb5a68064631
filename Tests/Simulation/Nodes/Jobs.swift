import Engine
import Postgres

/// A job of the simulated nodes.
struct SimulatedJob: Sendable {
  let name: String
  var successor: String?
  var ignoresClockStop = false
  var stopsAfterRestore = false
  var isLeased = false
  var largestBatch = 64
  var usesLanes = false
  /// How long before a known instant it starts.
  var lead: Duration = .zero
  /// How long an item takes.
  var cost: Duration = .microseconds(50)
}

enum Jobs {
  static let all = [
    SimulatedJob(name: "plan", successor: "task"), SimulatedJob(name: "task"),
    SimulatedJob(name: "chore", largestBatch: 512, usesLanes: true, lead: .milliseconds(5)),
    SimulatedJob(name: "careful", stopsAfterRestore: true, cost: .milliseconds(10)),
    SimulatedJob(name: "alarm", ignoresClockStop: true),
    SimulatedJob(name: "errand", isLeased: true),
  ]

  /// Those whose items apps write.
  static let written = ["plan", "chore", "careful", "alarm", "errand"]

  /// Those that stop where the database was restored.
  static let careful = Set(all.filter(\.stopsAfterRestore).map(\.name))

  /// The lanes of a job that uses them.
  static let lanes = 2

  /// So many rows are needed by the items of all jobs.
  static let resources = 20

  static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  static let retries = DatabaseModel.RetryPauses([1, 4, 16, 64].map { .seconds($0) }, attemptsMax: 5)

  static let callMax: Duration = .seconds(5)
  static let lease: Duration = .seconds(20)
  static let callsMax = 4

  /// As a poll reads it.
  static func polled(_ name: String) -> DatabaseModel.PolledJob {
    .init(name, leaseOverdue: byName[name]?.isLeased == true ? callMax + .seconds(1) : nil)
  }
}

/// An item of a job.
struct ItemID: Hashable, Sendable {
  let job: String
  let key: Int64

  /// The row that it needs.
  var resource: Int64 { key % Int64(Jobs.resources) }
}
