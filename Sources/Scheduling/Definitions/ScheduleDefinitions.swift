import Engine
package import Postgres
package import Cron

/// Changes of the definitions of schedules. Every change first plans up to now by the old definition, then closes its
/// period. So the audit can judge each tick by the definition that was valid at its time.
package enum ScheduleDefinitions {
  /// Locks a schedule's row; nil if there is none.
  package static func lock(_ name: String, _ transaction: Transaction) async throws -> Schedule? {
    try await PlanStep.lock(named: name, transaction).first?.schedule
  }

  /// Adds a schedule; it ticks from `now` on. False if another transaction added one of its name meanwhile.
  package static func add(_ schedule: Schedule, now: Timestamp, _ transaction: Transaction) async throws -> Bool {
    let cursor = Timestamp(second: now.wholeSecond)
    // Adds only its row, which other transactions wait for; it has no ticks until `put`.
    let isNew = try await transaction.execute(
      """
      INSERT INTO settled.schedule (name, cron, at, zone, call, missed, timeout, splay, cursor_at)
      VALUES (\(schedule.name), \(schedule.cron), \(schedule.at), \(schedule.zone), \(schedule.call), 'once',
        interval '1 second', interval '0', \(cursor))
      ON CONFLICT (name) DO NOTHING
      """)
    guard isNew == 1 else { return false }
    try await put(schedule, now: now, transaction)
    return true
  }

  /// Gives a locked schedule another definition; it ticks from `now` on. `known`: see `PlanStep.take`.
  package static func put(
    _ schedule: Schedule, now: Timestamp, by known: ZoneOffsets? = nil, _ transaction: Transaction
  ) async throws {
    let isPaused = try await end(schedule.name, now: now, by: known, transaction)
    let (missed, max, within) = schedule.missedColumns
    let cursor = Timestamp(second: now.wholeSecond)
    let next = isPaused ? nil : try await next(schedule, now: now, transaction)
    try await transaction.execute(
      """
      UPDATE settled.schedule SET cron = \(schedule.cron), at = \(schedule.at), zone = \(schedule.zone),
        call = \(schedule.call), missed = \(missed), runs_max = \(max),
        within = \(within)::bigint * interval '1 microsecond',
        timeout = \(schedule.timeout.microseconds)::bigint * interval '1 microsecond',
        splay = \(schedule.splay.microseconds)::bigint * interval '1 microsecond',
        cursor_at = \(cursor), next_tick_at = \(next)
      WHERE name = \(schedule.name)
      """)
    try await transaction.execute(FailureStatements.clear(job: SchedulePlanner.name, keys: [schedule.name]))
    if !isPaused { try await begin(schedule, now: now, transaction) }
    try await transaction.execute(ZoneFuture.meet(schedule.zone, at: now))
  }

  /// Plans what is due by the present definition and closes its period; returns whether the schedule is paused.
  static func end(
    _ name: String, now: Timestamp, by known: ZoneOffsets? = nil, _ transaction: Transaction
  ) async throws -> Bool {
    let paused = try await transaction.query("SELECT paused FROM settled.schedule WHERE name = \(name)")
      .first(Bool.self)
    guard let paused, !paused else { return paused ?? false }
    repeat {
      let cursor = try await PlanStep.lock(named: name, transaction)
      if try await PlanStep.take(cursor, now: now, by: known, transaction) { break }
    } while true
    try await transaction.execute(
      """
      UPDATE settled.schedule_period SET valid_to = greatest(valid_from, \(Timestamp(second: now.wholeSecond)))
      WHERE schedule = \(name) AND valid_to IS NULL
      """)
    return false
  }

  /// Opens a period.
  static func begin(_ schedule: Schedule, now: Timestamp, _ transaction: Transaction) async throws {
    try await transaction.execute(
      """
      INSERT INTO settled.schedule_period (schedule, cron, at, zone, valid_from)
      VALUES (\(schedule.name), \(schedule.cron), \(schedule.at), \(schedule.zone),
        \(Timestamp(second: now.wholeSecond)))
      """)
  }

  /// Stops its ticks, or resumes them from now on.
  package static func pause(_ schedule: Schedule, _ paused: Bool, now: Timestamp, _ transaction: Transaction)
    async throws
  {
    let isPaused = try await transaction.query("SELECT paused FROM settled.schedule WHERE name = \(schedule.name)")
      .one(Bool.self)
    guard isPaused != paused else { return }
    var next: Timestamp?
    if paused {
      _ = try await end(schedule.name, now: now, transaction)
    } else {
      next = try await self.next(schedule, now: now, transaction)
      try await begin(schedule, now: now, transaction)
    }
    try await transaction.execute(
      """
      UPDATE settled.schedule SET paused = \(paused), cursor_at = \(Timestamp(second: now.wholeSecond)),
        next_tick_at = \(next)
      WHERE name = \(schedule.name)
      """)
    // The daemon's own schedules are listed among the problems while they do not tick.
    guard schedule.call == nil else { return }
    let problem = "paused \(schedule.name)"
    try await transaction.execute(
      paused ? ProblemStatements.state(problem, "\(schedule.name): paused") : ProblemStatements.solve(problem))
  }

  /// Removes it; runs that have not started are skipped, and all rows are kept.
  package static func remove(_ name: String, now: Timestamp, _ transaction: Transaction) async throws {
    _ = try await end(name, now: now, transaction)
    try await skipPlanned(of: name, because: "the schedule was removed", now: now, transaction)
    try await transaction.execute("DELETE FROM settled.schedule WHERE name = \(name)")
    try await transaction.execute(ProblemStatements.solve(ProblemStatements.name(of: name)))
  }

  /// A planned run that has not started does not run by another definition.
  package static func skipPlanned(
    of name: String, because reason: String, now: Timestamp, _ transaction: Transaction
  ) async throws {
    try await transaction.execute(
      """
      WITH gone AS (
        DELETE FROM settled.run WHERE schedule = \(name) AND claimed_at IS NULL RETURNING instant
      )
      UPDATE settled.occurrence AS o SET status = 'skipped', reason = \(reason), finished_at = \(now)
      FROM gone WHERE o.schedule = \(name) AND o.instant = gone.instant AND o.status = 'planned'
      """)
  }

  private static func next(
    _ schedule: Schedule, now: Timestamp, _ transaction: Transaction
  ) async throws -> Timestamp? {
    let timing = try schedule.timing()
    return try await Zones.next(timing, zone: schedule.zone, after: now.wholeSecond, transaction)
      .map(Timestamp.init(second:))
  }

  /// Updates the daemon's own schedules to this program's definitions.
  ///
  /// One reading without a lock finds the unchanged ones: for these a start neither waits for a lock nor commits.
  package static func install(_ schedules: [BuiltInSchedule], _ connection: Connection) async throws {
    let present = try await connection.query(Schedule.named(schedules.map(\.schedule.name)))
      .decodeAll(as: Schedule.init)
    for builtIn in schedules where !present.contains(where: { $0.isSame(as: builtIn.schedule) }) {
      try await connection.transaction { transaction in
        // Of two nodes that start together one adds the schedule, and the other then finds it.
        var known: Schedule?
        repeat {
          known = try await lock(builtIn.schedule.name, transaction)
          if let known, known.isSame(as: builtIn.schedule) { return }
          let now = try await BusinessClock.read(transaction)
          if known != nil {
            try await put(builtIn.schedule, now: now, transaction)
          } else if try await add(builtIn.schedule, now: now, transaction) {
            if builtIn.runsAtOnce { try await PlanStep.runNow(builtIn.schedule.name, at: now, transaction) }
            return
          }
        } while known == nil
      }
    }
  }
}

extension Schedule {
  /// Whether both have one name and one definition.
  func isSame(as other: Schedule) -> Bool {
    name == other.name && cron == other.cron && at == other.at && zone == other.zone && call == other.call
      && missed == other.missed && timeout == other.timeout && splay == other.splay
  }
}
