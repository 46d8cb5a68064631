package import Postgres
import Synchronization

/// Stops settling while a clock is wrong (Engine.docc/ClockStops.md): each node judges the database's clock by its own
/// boot clock.
///
/// Off in simulated databases. `ClockJudge` decides; the scheduler writes its actions, and job runners check each
/// reading before they claim anything.
package final class ClockGuard: Sendable {
  /// Nil before the first connection to a database, and if its clock is simulated.
  private let judgement = Mutex<ClockJudge?>(nil)
  private let time: Timekeeper

  package init(time: Timekeeper) {
    self.time = time
  }

  /// The database's real time and the node's clocks, now.
  package func reading(database: Timestamp) -> ClockReading {
    ClockReading(database: database, boot: time.boot(), host: time.wall())
  }

  package func judge(_ reading: ClockReading) -> ClockVerdict {
    judgement.withLock { $0?.judge(reading) ?? .agrees }
  }

  /// Starts from the database's record of this node.
  func meet(node: String, isSimulated: Bool, remembered: ClockBaseline?) {
    let judge = ClockJudge(node: node, bootId: time.bootId, remembered: remembered)
    judgement.withLock { $0 = isSimulated ? nil : judge }
  }

  /// The records to write after a reading: see `ClockJudge.see`.
  func see(_ reading: ClockReading, _ record: ClockRecord, isHeartbeat: Bool) -> [ClockAction] {
    judgement.withLock { $0?.see(reading, record, isHeartbeat: isHeartbeat) ?? [] }
  }

  func established(_ number: Int64) {
    judgement.withLock { $0?.established(number) }
  }
}
