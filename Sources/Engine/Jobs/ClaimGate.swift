package import Postgres

/// The way into a job's transaction: reads the business clock, and allows no claim while the job is paused or a clock
/// is wrong.
package struct ClaimGate: Sendable {
  let clockGuard: ClockGuard

  package init(_ clockGuard: ClockGuard) {
    self.clockGuard = clockGuard
  }

  /// SQL of one Boolean: whether a job may claim. Polls and claims use the same condition.
  ///
  /// A job that ignores clock stops stops for a pause, and after a restore.
  static func mayClaim(_ job: Statement, ignoresClockStop: Bool) -> Statement {
    ignoresClockStop ? "NOT settled.is_stopped(\(fragment: job))" : "settled.may_claim(\(fragment: job))"
  }

  /// The clocks, and whether the job may claim: in the round trip of its locks, after them.
  package static func entry(_ job: String, ignoresClockStop: Bool = false) -> Statement {
    let mayClaim = mayClaim("\(job)", ignoresClockStop: ignoresClockStop)
    return "SELECT settled.clock(), \(fragment: mayClaim), clock_timestamp()"
  }

  /// The business time of an `entry`, after the locks; nil while the job is paused or the clock is stopped. Throws
  /// `EngineError.clock` if this node sees a wrong clock that is not stopped yet.
  package func admit(_ entry: Rows, ignoresClockStop: Bool = false) throws -> Timestamp? {
    let (now, mayClaim, real) = try entry.one(Timestamp.self, Bool.self, Timestamp.self)
    if !ignoresClockStop { try judge(real) }
    return mayClaim ? now : nil
  }

  /// The business time after the locks of a transaction that always may claim, such as an operator's command.
  package func again(_ session: some Session) async throws -> Timestamp {
    let (now, real) = try await session.query("SELECT settled.clock(), clock_timestamp()")
      .one(Timestamp.self, Timestamp.self)
    try judge(real)
    return now
  }

  /// Whether any node has found the clock wrong, so that no node may settle anything.
  package func isClockStopped(_ transaction: Transaction) async throws -> Bool {
    try await transaction.query(
      "SELECT EXISTS (SELECT FROM settled.clock_hold WHERE NOT lifted AND NOT accepted)"
    ).one(Bool.self)
  }

  /// Whether a job waits for an operator to accept that the database was restored.
  package func isStoppedAfterRestore(_ job: String, _ transaction: Transaction) async throws -> Bool {
    try await transaction.query(RestoreStatements.stops(job)).one(Bool.self)
  }

  private func judge(_ real: Timestamp) throws {
    let verdict = clockGuard.judge(clockGuard.reading(database: real))
    guard verdict == .agrees else { throw EngineError(.clock, "\(verdict)") }
  }
}
