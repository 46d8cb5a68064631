import Postgres

extension ClockAction {
  /// Writes a node's clock actions; returns the number of the baseline if one was established.
  static func write(
    _ actions: [ClockAction], node: String, bootId: String, _ transaction: Transaction
  ) async throws -> Int64? {
    var number: Int64?
    var wakes = false
    for action in actions {
      switch action {
      case .establish(let baseline):
        number = try await transaction.query(ClockStatements.establish(baseline, node: node)).one(Int64.self)
      case .remember(let baseline): try await transaction.execute(ClockStatements.remember(baseline, node: node))
      case .forget: try await transaction.execute(ClockStatements.forget(node: node))
      case .stop(let difference, let agreed):
        try await transaction.execute(
          ClockStatements.stop(node: node, bootId: bootId, difference: difference, agreed: agreed))
      case .release:
        try await transaction.execute(ClockStatements.release(node: node))
        wakes = true
      case .lift(let other):
        try await transaction.execute(ClockStatements.lift(node: other))
        wakes = true
      }
    }
    // Other nodes sleep while they are stopped, and due work does not wake them.
    if wakes { try await transaction.execute(Scheduler.wakeUp) }
    return number
  }
}
