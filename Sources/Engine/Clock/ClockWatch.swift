import Postgres
import Synchronization

/// Judges the clocks at each poll, writes the resulting records, and reports each change.
final class ClockWatch: Sendable {
  private let pool: Pool
  private let node: String
  private let clockGuard: ClockGuard
  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  /// The last verdict: it is reported once, not after each poll.
  private let last = Mutex<ClockVerdict>(.agrees)

  init(
    pool: Pool, node: String, clockGuard: ClockGuard, time: Timekeeper,
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    (self.pool, self.node, self.clockGuard, self.time, self.observe) = (pool, node, clockGuard, time, observe)
  }

  /// Writes a clock stop when the database's clock jumped, and its end when the clocks agree again or an operator
  /// accepted it. `isRelease` if other work may become due because of it.
  func see(
    _ snapshot: DueSnapshot, isHeartbeat: Bool
  ) async throws -> (reading: ClockReading, verdict: ClockVerdict, isRelease: Bool) {
    let reading = clockGuard.reading(database: snapshot.real)
    let actions = clockGuard.see(reading, snapshot.clocks, isHeartbeat: isHeartbeat)
    if !actions.isEmpty {
      let number = try await pool.transaction { [node, bootId = time.bootId] transaction in
        try await ClockAction.write(actions, node: node, bootId: bootId, transaction)
      }
      if let number { clockGuard.established(number) }
    }
    let verdict = clockGuard.judge(reading)
    let before = last.withLock { last in
      defer { last = verdict }
      return last
    }
    let isNews = !verdict.isSameKind(as: before)
    for case .lift(let node) in actions { observe(.clockStopLifted(node: node)) }
    let isRelease = actions.contains(.release) || isNews && before.isOfDatabase && !verdict.isOfDatabase
    if isRelease { observe(.clockAgrees) }
    if isNews {
      switch verdict {
      case .jumped(let difference): observe(.clockJumped(difference))
      case .outvoted(let difference): observe(.clockOutvoted(difference))
      case .hostIsOff(let difference): observe(.hostClockOff(difference))
      case .agrees: if case .hostIsOff = before { observe(.hostClockAgrees) }
      }
    }
    return (reading, verdict, isRelease)
  }
}
