/// When a schedule ticks: again and again, or once.
package enum Timing: Sendable, Hashable {
  case cron(CronExpression)
  /// Seconds since 1970 in UTC.
  case once(Int64)
}
