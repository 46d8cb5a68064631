/// The treatment of ticks that were missed (Cron.docc/MissedTicks.md).
package enum MissedPolicy: Sendable, Hashable {
  /// None runs.
  case skip
  /// The latest runs.
  case once
  /// The latest `max` of those no older than `within` run.
  case all(max: Int, within: Duration)

  /// A tick is missed when it becomes a row more than this after its instant.
  package static let secondsMax: Int64 = 60

  /// The most ticks that may run.
  package var runsMax: Int {
    switch self {
    case .skip: 0
    case .once: 1
    case .all(let max, _): max
    }
  }

  /// The first of the missed ticks that runs; nil where none does. `latest` are the missed ticks, or at least the last
  /// `runsMax` of them, ascending, in seconds; `now` is in microseconds.
  package func firstToRun(of latest: [Int64], now: Int64) -> Int64? {
    latest.suffix(runsMax).first { isWithin($0, now: now) }
  }

  /// Whether a missed tick is recent enough to run.
  func isWithin(_ instant: Int64, now: Int64) -> Bool {
    guard case .all(_, let within) = self else { return true }
    return .microseconds(now - instant * 1_000_000) <= within
  }
}
