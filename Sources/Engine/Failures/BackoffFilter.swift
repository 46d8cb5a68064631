/// The condition that leaves out items whose failure says "not now" (quarantined,
/// dropped, or backing off), and leased ones.
package enum BackoffFilter {
  /// SQL for a job's due statements; `key` is an SQL expression for the item's key as text.
  ///
  /// Back-off is real time, never the simulated clock, and holds only between the failure and the next attempt: when
  /// the server's clock is set back, the item is simply tried again. `leased` where the job is a leased one.
  package static func excluded(job: String, key: String, leased: Bool = false) -> String {
    let failure = """
      NOT EXISTS (SELECT FROM settled.failure AS f WHERE f.job = '\(job)' AND f.key = \(key)
        AND (f.quarantined OR f.dropped_at IS NOT NULL
          OR f.last_at <= clock_timestamp() AND clock_timestamp() < f.next_attempt_at))
      """
    guard leased else { return failure }
    return "\(failure) AND NOT EXISTS (SELECT FROM settled.lease AS l WHERE l.job = '\(job)' AND l.key = \(key))"
  }
}
