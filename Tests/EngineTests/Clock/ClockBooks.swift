@testable import Engine
import Postgres
import TestSupport

/// Where nodes write what they make of the clocks: the database, or for long simulations what it does, in memory.
protocol ClockBooks {
  func record() async throws -> ClockRecord
  func remembered(_ node: String) async throws -> ClockBaseline?
  /// Returns the number of a baseline that was established.
  mutating func write(_ actions: [ClockAction], node: String, bootId: String) async throws -> Int64?
  mutating func accept() async throws
}

struct ClockMemory: ClockBooks {
  private var books = ClockRecord()
  private var baselines: [String: ClockBaseline] = [:]

  func record() -> ClockRecord { books }

  func remembered(_ node: String) -> ClockBaseline? { baselines[node] }

  mutating func write(_ actions: [ClockAction], node: String, bootId: String) -> Int64? {
    var number: Int64?
    for action in actions {
      switch action {
      case .establish(var baseline):
        books.baselines += 1
        number = books.baselines
        baseline.established = number
        baselines[node] = baseline
      case .remember(let baseline): baselines[node] = baseline
      case .forget: baselines[node] = nil
      case .stop(let difference, let agreed): stop(node, difference, agreed)
      case .release: books.stops.removeAll { $0.node == node }
      case .lift(let other):
        for index in books.stops.indices where books.stops[index].node == other { books.stops[index].isLifted = true }
      }
    }
    return number
  }

  private mutating func stop(_ node: String, _ difference: Duration, _ agreed: Int64) {
    guard let index = books.stops.firstIndex(where: { $0.node == node }) else {
      return books.stops.append(ClockStop(node: node, difference: difference, agreed: agreed))
    }
    guard !books.stops[index].isAccepted else { return }
    let change = difference - books.stops[index].difference
    if change > .seconds(600) || change < .seconds(-600) { books.stops[index].isLifted = false }
    books.stops[index].difference = difference
  }

  mutating func accept() {
    books.acceptances += 1
    books.accepted += books.stops.first(where: \.bindsAll)?.difference ?? .zero
    for index in books.stops.indices { books.stops[index].isAccepted = true }
  }
}

struct ClockDatabase: ClockBooks {
  let session: Connection

  func record() async throws -> ClockRecord {
    try await DueSnapshot(session.query(DueSnapshot.statement(of: [EventNumbering(pool: pool)]))).clocks
  }

  let pool: Pool

  func remembered(_ node: String) async throws -> ClockBaseline? {
    try await ClockStatements.met(session.query(ClockStatements.meeting(node: node))).remembered
  }

  func write(_ actions: [ClockAction], node: String, bootId: String) async throws -> Int64? {
    try await session.transaction { try await ClockAction.write(actions, node: node, bootId: bootId, $0) }
  }

  func accept() async throws {
    try await session.transaction { transaction in
      for statement in ClockStatements.accept { try await transaction.execute(statement) }
    }
  }
}
