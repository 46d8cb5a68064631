package import Postgres
package import Cron

/// A schedule as the database stores it.
package struct Schedule: Sendable {
  package let name: String
  package let cron: String?
  package let at: Timestamp?
  package let zone: String
  /// The function that operators named; nil for the daemon's own schedules.
  package let call: String?
  package let missed: MissedPolicy
  package let timeout: Duration
  package let splay: Duration

  package init(
    name: String, cron: String?, at: Timestamp?, zone: String, call: String?, missed: MissedPolicy,
    timeout: Duration, splay: Duration
  ) {
    self.name = name
    self.cron = cron
    self.at = at
    self.zone = zone
    self.call = call
    self.missed = missed
    self.timeout = timeout
    self.splay = splay
  }

  /// When it ticks. Throws `ScheduleError` if the expression is invalid.
  package func timing() throws(ScheduleError) -> Timing {
    try Self.timing(cron: cron, at: at)
  }

  package static func timing(cron: String?, at: Timestamp?) throws(ScheduleError) -> Timing {
    if let cron { return .cron(try CronExpression(cron)) }
    return .once((at ?? Timestamp(microseconds: 0)).wholeSecond)
  }
}

extension Timestamp {
  /// Seconds since 1970, floored.
  package var wholeSecond: Int64 {
    let whole = microseconds / 1_000_000
    return whole * 1_000_000 > microseconds ? whole - 1 : whole
  }

  package init(second: Int64) {
    self.init(microseconds: second * 1_000_000)
  }
}
