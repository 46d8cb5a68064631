package import Postgres
import Synchronization

/// A wrong clock settles nothing (design.md, Time): each node judges the database's clock by its own boot clock.
///
/// Off in simulated databases. Judging is pure arithmetic on a baseline; the scheduler keeps the baseline and the holds
/// in the database, job runners judge each reading before they claim anything.
package final class ClockGuard: Sendable {
  static let jumpMax: Duration = .seconds(600)
  static let hostSkewMax: Duration = .seconds(300)

  private struct State {
    var isOff = true
    var baseline: ClockBaseline?
    var generation: Int64 = 0
  }

  private let state = Mutex(State())
  private let time: Timekeeper

  package init(time: Timekeeper) {
    self.time = time
  }

  /// The database's real time beside the node's clocks, now.
  package func reading(database: Timestamp) -> ClockReading {
    ClockReading(database: database, boot: time.boot(), host: time.wall())
  }

  package func judge(_ reading: ClockReading) -> ClockVerdict {
    state.withLock { state in
      guard !state.isOff else { return .agrees }
      if let jump = state.baseline?.jump(to: reading), abs(jump) > Self.jumpMax { return .jumped(jump) }
      return abs(reading.skew) > Self.hostSkewMax ? .hostIsOff(reading.skew) : .agrees
    }
  }

  /// What the database remembers of this node: kept when it is of this boot, else the present is the baseline, unless
  /// the database's clock went back behind what was once seen.
  func meet(isSimulated: Bool, remembered: ClockBaseline?, generation: Int64, reading: ClockReading) {
    state.withLock { state in
      state.isOff = isSimulated
      state.generation = generation
      if let remembered, remembered.bootId == time.bootId || reading.database < remembered.database {
        state.baseline = ClockBaseline(
          bootId: time.bootId, boot: remembered.bootId == time.bootId ? remembered.boot : reading.boot,
          database: remembered.database)
      } else if state.baseline == nil {
        state.baseline = ClockBaseline(bootId: time.bootId, boot: reading.boot, database: reading.database)
      }
    }
  }

  /// Takes the reading as right: at a heartbeat while the clocks agree but for drift, or when an operator accepted.
  ///
  /// Yields the new baseline to remember; nil while the clocks differ by more than drift, so that small steps add up.
  func rebase(on reading: ClockReading, acceptedGeneration generation: Int64) -> ClockBaseline? {
    state.withLock { state in
      guard !state.isOff else { return nil }
      let isAccepted = generation != state.generation
      state.generation = generation
      if let baseline = state.baseline, !isAccepted, !baseline.isDrift(baseline.jump(to: reading), at: reading) {
        return nil
      }
      let baseline = ClockBaseline(bootId: time.bootId, boot: reading.boot, database: reading.database)
      state.baseline = baseline
      return baseline
    }
  }

  /// Whether an operator accepted the clock since the last rebase.
  func isAccepted(_ generation: Int64) -> Bool {
    state.withLock { !$0.isOff && generation != $0.generation }
  }
}
