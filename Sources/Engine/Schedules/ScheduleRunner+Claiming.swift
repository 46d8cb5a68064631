import Postgres

/// Which runs this node begins, and which of the dead it takes up.
extension ScheduleRunner {
  /// A run, and the session that an operator's function is to be called in.
  struct Begun {
    let run: ClaimedOccurrence
    let session: Result<Connection, any Error>
  }

  /// Marks the longest due ticks as running, one of each schedule; none where none is free.
  ///
  /// Those of operators are handed to sessions that are there by then, so that no lock waits for a connection; where none
  /// can be had, they fail.
  func claim(_ limit: Int) async throws -> [Begun] {
    var open = await sessions.take(limit)
    var trouble: (any Error)?
    if open.isEmpty { (open, trouble) = try await connect(upTo: limit) }
    let claimed: [ClaimedOccurrence]
    do {
      claimed = try await claim(limit, for: trouble == nil ? open.map(\.backendPID) : [nil])
    } catch {
      await sessions.giveBack(open)
      throw error
    }
    let used = Set(claimed.compactMap(\.backend))
    await sessions.giveBack(open.filter { !used.contains($0.backendPID) })
    return claimed.map { run in
      let missing = trouble ?? EngineError(.notAllowed, "no session was handed to the run")
      let session = open.first { $0.backendPID == run.backend }
      return Begun(run: run, session: session.map { .success($0) } ?? .failure(missing))
    }
  }

  /// Sessions for the operators' ticks that are due; the error where there is none at all.
  private func connect(upTo limit: Int) async throws -> ([Connection], (any Error)?) {
    let wanted = try await context.pool.withConnection { connection in
      try await connection.query(OccurrenceStatements.dueOfOperators(limit)).one(Int64.self)
    }
    return await withTaskGroup(of: Result<Connection, any Error>.self) { [options] group in
      for _ in 0..<wanted {
        group.addTask {
          do { return .success(try await Connection.connect(options)) } catch { return .failure(error) }
        }
      }
      var open: [Connection] = []
      var trouble: (any Error)?
      for await result in group {
        switch result {
        case .success(let session): open.append(session)
        case .failure(let error): trouble = error
        }
      }
      return (open, open.isEmpty ? trouble : nil)
    }
  }

  private func claim(_ limit: Int, for backends: [Int32?]) async throws -> [ClaimedOccurrence] {
    try await context.pool.transaction { [context, node, actions] transaction in
      let replies = try await transaction.pipeline([
        OccurrenceStatements.lock(limit, knowing: Array(actions.keys)), Gate.entry(Self.name),
      ])
      guard let now = try context.gate.admit(replies[1]) else { return [] }
      var own: [String] = []
      var operators: [String] = []
      for (name, isOwn) in try replies[0].decode(String.self, Bool.self) {
        if isOwn { own.append(name) } else { operators.append(name) }
      }
      let handed = Array(zip(operators, backends))
      guard !own.isEmpty || !handed.isEmpty else { return [] }
      let names = own + handed.map(\.0)
      let all = own.map { _ in nil } + handed.map(\.1)
      let rows = try await transaction.query(OccurrenceStatements.claim(names, for: all, node: node, at: now))
      return try ClaimedOccurrence.all(rows, at: context.time.now())
    }
  }

  /// Takes care of runs that died without a word; yields how many. Those that died too often are told like any failure.
  func revive() async throws -> Int {
    let (count, failed) = try await context.pool.transaction { transaction in
      let rows = try await transaction.query(OccurrenceStatements.revive)
      let failed = try Self.failed(rows)
      for run in failed {
        try await transaction.execute(
          OccurrenceStatements.tell(run.schedule, "\(run.schedule) failed at \(run.instant): \(run.reason)"))
      }
      return (rows.count, failed)
    }
    for run in failed {
      context.observe(.runFailed(schedule: run.schedule, instant: run.instant, error: FailureText(text: run.reason)))
    }
    return count
  }

  @inline(never)
  private static func failed(
    _ rows: Rows
  ) throws(PostgresError) -> [(schedule: String, instant: Timestamp, reason: String)] {
    var failed: [(schedule: String, instant: Timestamp, reason: String)] = []
    for (schedule, instant, reason) in try rows.decode(String.self, Timestamp.self, String?.self) {
      if let reason { failed.append((schedule, instant, reason)) }
    }
    return failed
  }
}
