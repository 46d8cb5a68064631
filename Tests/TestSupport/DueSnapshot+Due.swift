package import Engine
import Postgres

extension DueSnapshot {
  /// One in which these works are due now.
  package static func due(_ works: [String]) -> DueSnapshot {
    var item = Item(dueIn: .zero, dueAt: nil, isPaused: false, isUnconditional: false, failing: 0, quarantined: 0)
    item.isDue = true
    let instant = Timestamp(microseconds: 0)
    return DueSnapshot(
      items: Dictionary(uniqueKeysWithValues: works.map { ($0, item) }), oldest: 1, now: instant,
      real: instant, clocks: ClockRecord(), isSimulated: false)
  }
}
