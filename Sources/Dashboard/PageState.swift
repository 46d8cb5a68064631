package import TextCoding

/// All that a part knows beside the daemon's answers.
package struct PageState: Sendable {
  /// The daemon's time.
  package var now: Instant
  package var zone: PageZone
  package var caller: Operator
  /// Whether the dashboard was started with `--changes`.
  package var allowsChanges: Bool
  /// The daemon's version; nil before its first answer.
  package var version: String?
  /// `/races/42?status=open` has `status`.
  package var query: [String: String]
  /// `/races/42` has 42.
  package var id: String?
  package var place = DaemonPlace()
  /// Whether the clock of the daemon's database is simulated, so that `now` is no real time.
  package var hasSimulatedClock = false
  /// The latest happenings of `watch`, oldest first, for a part that watches `*`.
  package var happenings: [JSONValue] = []

  package init(
    now: Instant, zone: PageZone, caller: Operator, allowsChanges: Bool, version: String? = nil,
    query: [String: String] = [:], id: String? = nil
  ) {
    self.now = now
    self.zone = zone
    self.caller = caller
    self.allowsChanges = allowsChanges
    self.version = version
    self.query = query
    self.id = id
  }
}
