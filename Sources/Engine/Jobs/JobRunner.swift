package import Postgres

/// Runs one job's batches: growing while they are quick, item by item when one fails.
package actor JobRunner<J: Job>: Work {
  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var nextDue: String { job.nextDue }

  let context: JobContext
  private var isCareful = false
  private var emptyTurns = EmptyTurns()

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
  }

  package func beCareful() {
    isCareful = true
  }

  package nonisolated var isListed: Bool { true }

  package nonisolated func overdue(_ session: Connection) async throws -> Int64 {
    let now = try await BusinessClock.read(session)
    let due = job.lock(LockRequest(now: now, limit: 1000, mode: .peek))
    return try await session.query("SELECT count(*) FROM (\(fragment: due)) AS due").one(Int64.self)
  }

  package nonisolated func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] {
    let statement: Statement = """
      SELECT s.at, CASE WHEN count(*) = 1 THEN min(s.key)::text END, count(*)
      FROM (\(raw: job.schedule)) AS s(at, key) GROUP BY s.at ORDER BY s.at LIMIT \(limit)
      """
    return try await session.query(statement).decode(Timestamp.self, String?.self, Int64.self)
      .map { Upcoming(at: $0, key: $1, count: $2) }
  }

  package func drain(until halt: Halt, due: Duration = .zero) async -> DrainOutcome {
    var size = BatchSize(largest: job.largestBatch, target: context.batchTarget)
    var outcome = DrainOutcome(items: 0)
    if emptyTurns.shouldWait {
      outcome.items += await waitForHead()
    }
    var isFirst = true
    while !halt.isRequested && !Task.isCancelled {
      let started = context.time.now()
      let limit = isCareful ? 1 : size.items
      let (handled, interruption) = await turn(limit: limit, due: isFirst ? due : nil, until: halt)
      isFirst = false
      outcome.items += handled
      guard interruption == nil else {
        outcome.interruption = interruption
        break
      }
      guard handled > 0 else {
        isCareful = false
        break
      }
      size.observe(count: handled, elapsed: context.time.now() - started)
    }
    emptyTurns.observe(items: outcome.items)
    return outcome
  }

  /// One batch, and where it fails, its items one by one.
  private func turn(limit: Int, due: Duration?, until halt: Halt) async -> (items: Int, interruption: (any Error)?) {
    let claimed = Claimed<J.Key>()
    let started = context.time.now()
    do {
      let keys = try await attempt(limit: limit, claimed: claimed)
      if !keys.isEmpty {
        let ended = context.time.now()
        context.observe(
          .batch(job: name, items: keys.count, elapsed: ended - started, lateness: due.map { ended - $0 }))
      }
      return (keys.count, nil)
    } catch {
      let keys = claimed.keys
      if let passing = passing(error) {
        if isCareful, !keys.isEmpty { await context.uncountAttempts(job: name, keys: keys.map(\.description)) }
        context.observe(.contention(job: name, error: passing))
        return (0, passing)
      }
      guard !keys.isEmpty else { return (0, error) }
      if keys.count > 1 {
        context.observe(.batchSplit(job: name, items: keys.count, error: error))
      }
      return await onebyone(keys, first: keys.count == 1 ? error : nil, until: halt)
    }
  }

  private func onebyone(
    _ keys: [J.Key], first: (any Error)?, until halt: Halt
  ) async -> (items: Int, interruption: (any Error)?) {
    var handled = 0
    for key in keys where !halt.isRequested {
      do {
        if let first { throw first }
        _ = try await attempt(limit: 1, only: key, claimed: Claimed())
      } catch {
        if let passing = passing(error) { return (handled, passing) }
        if let trouble = await record(error, of: key) { return (handled, trouble) }
      }
      handled += 1
    }
    return (handled, nil)
  }

  /// Gather, decide, apply: one transaction. Yields the keys it handled.
  private func attempt(
    limit: Int, only: J.Key? = nil, mode: LockRequest<J.Key>.Mode = .skipLocked, claimed: Claimed<J.Key>
  ) async throws -> [J.Key] {
    let careful = isCareful
    let (keys, warnings) = try await context.pool.transaction { [job, context] transaction -> ([J.Key], [(J.Key, String)]) in
      if mode == .wait {
        try await transaction.execute("SET LOCAL lock_timeout = \(raw: context.lockWaitSetting)")
        claimed.backend = try await transaction.query("SELECT pg_backend_pid()").one(Int32.self)
      }
      guard let before = try await context.gate.enter(job.name, transaction) else { return ([], []) }
      let request = LockRequest<J.Key>(now: before, limit: limit, mode: mode, only: only)
      let keys = try await transaction.query(job.lock(request)).decode(J.Key.self)
      guard !keys.isEmpty else { return ([], []) }
      claimed.keys = keys
      if careful {
        try await context.countAttempts(job: job.name, keys: keys.map(\.description))
      }
      let now = try await context.gate.again(transaction)
      let inputs = try await job.gather(keys, at: now, in: transaction)
      var decisions: [J.Decision] = []
      var warnings: [(J.Key, String)] = []
      decisions.reserveCapacity(inputs.count)
      for input in inputs {
        try context.beforeDecision(job.name, job.key(of: input).description)
        let decision = try job.decide(input, at: now)
        warnings += job.warnings(of: decision).map { (job.key(of: input), $0) }
        decisions.append(decision)
      }
      if !decisions.isEmpty {
        try await job.apply(decisions, at: now, in: transaction)
      }
      try await transaction.execute(FailureStatements.clear(job: job.name, keys: keys.map(\.description)))
      return (keys, warnings)
    }
    for (key, text) in warnings { context.observe(.warning(job: name, key: key.description, text: text)) }
    return keys
  }

  /// Due rows were held by others each time: wait for the longest due one, under the lock time-out.
  private func waitForHead() async -> Int {
    let claimed = Claimed<J.Key>()
    guard let head = await head() else { return 0 }
    let probe = LockProbe(context: context)
    let blockers = probe.blockers(of: claimed)
    defer { blockers.cancel() }
    do {
      return try await attempt(limit: 1, only: head, mode: .wait, claimed: claimed).count
    } catch let error as PostgresError where error.sqlState == "55P03" {
      if emptyTurns.isLongDelayed(head.description, now: context.time.now()) {
        await probe.list(job: name, key: head.description, heldBy: await blockers.value)
      }
    } catch {
      if passing(error) == nil { _ = await record(error, of: head) }
    }
    return 0
  }

  /// The longest due item, whoever holds it.
  private func head() async -> J.Key? {
    try? await context.pool.withConnection { [job] connection in
      let now = try await BusinessClock.read(connection)
      let request = LockRequest<J.Key>(now: now, limit: 1, mode: .peek)
      return try await connection.query(job.lock(request)).decode(J.Key.self).first
    }
  }

  /// Errors that say nothing about the item: the connection, contention, a lack of resources.
  private func passing(_ error: any Error) -> (any Error)? {
    if let error = error as? EngineError { return error.code == .clock ? error : nil }
    guard let error = error as? PostgresError else { return error is CancellationError ? error : nil }
    return error.isConnectionProblem || error.isContention || error.isResource ? error : nil
  }

  /// Records the failure of one item; yields the trouble where even that could not be written.
  private func record(_ error: any Error, of key: J.Key) async -> (any Error)? {
    let text = FailureText(error)
    do {
      let (attempts, quarantined) = try await context.pool.withConnection { [name, context, isCareful] connection in
        try await connection.query(
          FailureStatements.record(
            job: name, key: key.description, error: text, counted: isCareful, policy: context.retries)
        ).one(Int64.self, Bool.self)
      }
      context.observe(
        .itemFailed(
          job: name, key: key.description, attempts: Int(attempts), quarantined: quarantined, error: text))
      return nil
    } catch {
      return error
    }
  }
}
