import Engine
import Scheduling

/// A kind of problem with its remedy: the single source of both for `status`, `doctor` and the alerts.
///
/// A test compares the remedies of `deploy/monitoring/settled.rules.yml` with these.
package struct ProblemKind: Sendable, Equatable {
  /// Stable, in lower case with hyphens.
  package let code: String
  private let template: String

  /// `remedy` is a command or a sentence, with NAME for the affected job or schedule.
  package init(_ code: String, remedy: String) {
    self.code = code
    template = remedy
  }

  /// `target`: the job or schedule; by default the remedy keeps the word NAME.
  package func remedy(_ target: String? = nil) -> String {
    target.map { template.replacing("NAME", with: $0) } ?? template
  }
}

extension ProblemKind {
  package static let databaseAway = ProblemKind(
    "database-away", remedy: "check PostgreSQL and the network; the daemon resumes when the database is back")
  package static let schemaUnchecked = ProblemKind("schema-unchecked", remedy: "settled migrate; journalctl -u settled")
  package static let draining = ProblemKind("draining", remedy: "settlectl undrain")
  private static let ownName = "stop the other daemon, or give each node its own name (node in settled.conf)"
  package static let nameHeld = ProblemKind("name-held", remedy: ownName)
  package static let nameShared = ProblemKind("name-shared", remedy: ownName)
  package static let socketLost = ProblemKind(
    "socket-lost", remedy: "systemctl restart settled.socket settled-health.socket settled")
  package static let interrupted = ProblemKind("interrupted", remedy: "journalctl -u settled; settlectl doctor")
  package static let noLook = ProblemKind("no-look", remedy: "journalctl -u settled; systemctl restart settled")
  package static let noNotifications = ProblemKind(
    "no-notifications", remedy: "bypass the proxy that pools transactions")
  package static let notifyQueue = ProblemKind(
    "notify-queue",
    remedy: "end the session that listens inside a long transaction: the oldest xact_start in pg_stat_activity")
  private static let rightClock = "settlectl nodes; correct the clock, or settlectl clock accept --reason ..."
  package static let clockHeld = ProblemKind("clock-held", remedy: rightClock)
  package static let clockJumped = ProblemKind("clock-jumped", remedy: rightClock)
  package static let clockOutvoted = ProblemKind("clock-outvoted", remedy: rightClock)
  package static let hostClockOff = ProblemKind(
    "host-clock-off", remedy: "correct this machine's clock (timedatectl)")
  package static let restored = ProblemKind(
    "database-restored",
    remedy:
      "settlectl doctor; see 'Restoring' and 'A copy' in settled(8); "
      + "settlectl restore accept or restore fork --reason ..."
  )
  package static let silentNodes = ProblemKind(
    "silent-nodes",
    remedy: "see 'A copy' in settled(8); settled migrate --fork, or settlectl restore accept --reason ...")
  package static let staleZones = ProblemKind("stale-zones", remedy: "restart PostgreSQL")
  package static let quarantined = ProblemKind(
    "quarantined", remedy: "settlectl failures; then settlectl retry ID, or settlectl drop ID --reason ...")
  package static let failing = ProblemKind("failing", remedy: "settlectl failures")
  package static let jobPaused = ProblemKind("job-paused", remedy: "settlectl job resume NAME")
  package static let jobLate = ProblemKind("job-late", remedy: "settlectl jobs; settlectl failures")
  package static let scheduleFailed = ProblemKind("schedule-failed", remedy: "settlectl occurrences NAME")
  /// A kind of a later release, which this program does not have.
  package static let other = ProblemKind("other", remedy: "settlectl doctor")

  /// The engine's kinds in the database, by name; modules have more.
  private static let kept = [
    RestoreStatements.problem: restored, RestoreStatements.silenceProblem: silentNodes,
    ZoneFuture.staleProblem: staleZones,
  ]

  /// The kind of a problem in the database, and the job or schedule in its name.
  static func of(kept name: String, _ modules: [String: ProblemKind]) -> (ProblemKind, target: String?) {
    if let kind = kept[name] ?? modules[name] { return (kind, nil) }
    for (prefix, kind) in [("schedule ", scheduleFailed), ("paused ", jobPaused)] where name.hasPrefix(prefix) {
      return (kind, String(name.dropFirst(prefix.count)))
    }
    return (other, nil)
  }
}
