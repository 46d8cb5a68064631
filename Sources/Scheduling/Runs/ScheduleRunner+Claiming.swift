import Engine
import Postgres

/// Chooses the runs that this node starts, and the runs of dead nodes that it resumes.
extension ScheduleRunner {
  /// A run, and the session in which an operator's function is called.
  struct Begun {
    let run: ClaimedOccurrence
    let session: Result<RunSession, any Error>
  }

  /// The result of one search for due ticks.
  struct ClaimResult {
    var begun: [Begun] = []
    /// How many dead runs were resumed.
    var revived = 0
    /// All available sessions are in use now, and more runs may be due.
    var isShort = false
  }

  /// Marks the longest due ticks as running, one of each schedule; none if none is free.
  ///
  /// Operators' ticks are assigned to sessions that are already open, so that no lock waits for a connection. Sessions
  /// are opened if none is idle. If none can be opened, a tick waits for one, unless this only continues an earlier
  /// claim: the runs that it started will free their sessions for the others.
  func claim(_ limit: Int, isFurther: Bool) async throws -> ClaimResult {
    guard let sessions else {
      let (claimed, revived) = try await claim([Int32?](repeating: nil, count: limit))
      let none = EngineError(.notAllowed, "the daemon's own runs have no session")
      return ClaimResult(begun: claimed.map { Begun(run: $0, session: .failure(none)) }, revived: revived)
    }
    let ready = await sessions.take(limit)
    let (open, failure) = ready.isEmpty ? try await open(limit, of: sessions) : (ready, nil)
    if isFurther, open.isEmpty { return ClaimResult() }
    let found: (claimed: [ClaimedOccurrence], revived: Int)
    do {
      found = try await claim(failure == nil ? open.map(\.backend) : [nil])
    } catch {
      await sessions.giveBack(open)
      throw error
    }
    let used = Set(found.claimed.compactMap(\.backend))
    if used.count < open.count { await sessions.giveBack(open.filter { !used.contains($0.backend) }) }
    let begun = found.claimed.map { run in
      let missing = failure ?? EngineError(.notAllowed, "no session was assigned to the run")
      let session = open.first { $0.backend == run.backend }
      return Begun(run: run, session: session.map { .success($0) } ?? .failure(missing))
    }
    return ClaimResult(begun: begun, revived: found.revived, isShort: !ready.isEmpty && used.count == ready.count)
  }

  /// New sessions for the operators' due ticks; the error if there is none at all.
  private func open(_ limit: Int, of sessions: RunSessions) async throws -> ([RunSession], (any Error)?) {
    let wanted = try await context.pool.withConnection { [kind] connection in
      try await connection.query(OccurrenceStatements.due(limit, kind)).one(Int64.self)
    }
    let (opened, failure) = await sessions.open(Int(wanted))
    return (opened, opened.isEmpty ? failure : nil)
  }

  /// Claims a run for each of `backends`, and revives dead runs.
  private func claim(_ backends: [Int32?]) async throws -> ([ClaimedOccurrence], Int) {
    let (claim, dead, failed) = try await context.pool.transaction {
      [context, node, kind, name] transaction -> (LastAnswer?, [RunKey], [Revived]) in
      let replies = try await transaction.pipeline([
        OccurrenceStatements.dead(kind), OccurrenceStatements.lock(max(1, backends.count), kind), ClaimGate.entry(name),
        OccurrenceStatements.withoutFlush,
      ])
      let dead = try replies[0].decodeAll(as: RunKey.init)
      let failed = try await Self.revive(dead, transaction)
      guard let now = try context.gate.admit(replies[2]) else { return (nil, dead, failed) }
      let keys = Array(try replies[1].decodeAll(as: RunKey.init).prefix(backends.count))
      guard !keys.isEmpty else { return (nil, dead, failed) }
      let claim = OccurrenceStatements.claim(keys, for: Array(backends.prefix(keys.count)), node: node, at: now)
      return (transaction.beforeCommit(claim), dead, failed)
    }
    let began = context.time.now()
    let claimed = try claim?.rows?.decodeAll { row in try ClaimedOccurrence(row, began: began) } ?? []
    for run in failed {
      context.observe(.runFailed(schedule: run.schedule, instant: run.instant, error: FailureText(text: run.reason)))
    }
    return (claimed, dead.count)
  }

  /// Handles runs that died without a result; runs that died too often are reported like any failure.
  private static func revive(_ dead: [RunKey], _ transaction: Transaction) async throws -> [Revived] {
    guard !dead.isEmpty else { return [] }
    let revived = try await transaction.query(OccurrenceStatements.revive(dead)).decodeAll(as: Revived.init)
    let again = revived.filter { $0.status == "planned" }.map(\.key)
    let over = Set(dead).subtracting(again)
    _ = try await transaction.pipeline([OccurrenceStatements.release(again), OccurrenceStatements.leave(Array(over))])
    let failed = revived.filter { $0.status == "failed" }
    for run in failed {
      try await transaction.execute(
        OccurrenceStatements.reportProblem(run.schedule, "\(run.schedule) failed at \(run.instant): \(run.reason)"))
    }
    return failed
  }
}

/// The outcome of a run that died.
struct Revived {
  let schedule: String
  let instant: Timestamp
  let status: String
  let reason: String

  var key: RunKey { RunKey(schedule: schedule, instant: instant) }

  init(_ row: Row) throws(PostgresError) {
    schedule = try row["schedule"]
    instant = try row["instant"]
    status = try row["status"]
    reason = try row["reason"]
  }
}
