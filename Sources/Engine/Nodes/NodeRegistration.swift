import Postgres
import Synchronization

/// A node's registration with its database: its name, its row, its heartbeats, its polls, and its end.
final class NodeRegistration: Sendable {
  private let pool: Pool
  private let works: [any Work]
  private let options: SchedulerOptions
  private let clockGuard: ClockGuard
  private let restoreGuard: RestoreGuard
  private let name: NodeName
  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  private let met = Mutex<Connection?>(nil)
  private let canReadMarks = Mutex(true)

  init(
    pool: Pool, works: [any Work], options: SchedulerOptions, clockGuard: ClockGuard, restoreGuard: RestoreGuard,
    name: NodeName, time: Timekeeper, observe: @escaping @Sendable (Observation) -> Void
  ) {
    (self.pool, self.works, self.options, self.time) = (pool, works, options, time)
    (self.clockGuard, self.restoreGuard, self.name, self.observe) = (clockGuard, restoreGuard, name, observe)
  }

  /// Whether the connection on which the node registered is open.
  var isOpen: Bool { met.withLock { $0?.isOpen ?? false } }

  /// The check of each connection that runs open after the first registration: the database may have been restored
  /// between two batches of a run, before the loop has registered again.
  func greet(_ connection: Connection) async throws(PostgresError) {
    guard met.withLock({ $0 != nil }) else { return }
    do {
      try await restoreGuard.look(connection)
    } catch {
      let text = "stopped while the database was being compared: \(error)"
      throw error as? PostgresError ?? PostgresError(.cancelled, text)
    }
  }

  func isMet(_ connection: Connection) -> Bool { met.withLock { $0 === connection } }

  /// The first queries to a database: is the schema compatible, what was the clock, and (in a new process) did the last
  /// run end cleanly? False if a stop came before the node had its name.
  func meet(
    _ admit: @Sendable (Connection) async throws -> Void, _ events: EventQueue, until stopFlag: StopFlag
  ) async throws -> Bool {
    let isFirst = met.withLock { $0 == nil }
    let found = try await pool.withConnection {
      [options, clockGuard, restoreGuard, name] connection -> (Connection, Bool)? in
      try await admit(connection)
      try await restoreGuard.look(connection)
      if isFirst, try await !waitForName(events, until: stopFlag) { return nil }
      let (isSimulated, remembered) = try await ClockStatements.met(
        connection.query(ClockStatements.meeting(node: options.node)))
      clockGuard.meet(node: options.node, isSimulated: isSimulated, remembered: remembered)
      try await pruneResolvedFailures(connection)
      let (wasUnclean, startedAt) = try await connection.query(
        NodeStatements.register(node: options.node, version: options.version, hasProvider: options.hasProvider)
      ).one(Bool.self, Timestamp.self)
      name.registered(at: startedAt)
      return (connection, wasUnclean)
    }
    guard let (connection, wasUnclean) = found else { return false }
    met.withLock { $0 = connection }
    let afterCrash = isFirst && wasUnclean
    if afterCrash {
      for work in works { await work.recoverFromCrash() }
    }
    observe(.started(node: options.node, afterCrash: afterCrash))
    return true
  }

  /// A first start waits until it owns the name, so that it does not overwrite another daemon's row; if no connection
  /// can listen, only briefly. False if a stop was requested meanwhile.
  private func waitForName(_ events: EventQueue, until stopFlag: StopFlag) async throws -> Bool {
    let end = time.now() + .seconds(5)
    while name.isOpen, !stopFlag.isRequested, !Task.isCancelled, time.now() < end {
      await events.wait(atMost: end - time.now(), time: time)
    }
    if let refusal = name.refusal { throw refusal }
    return !stopFlag.isRequested && !Task.isCancelled
  }

  func beat(_ beat: NodeMachine.Beat) async throws {
    let registered = try await pool.withConnection { [options, restoreGuard] connection -> Timestamp? in
      try await restoreGuard.look(connection)
      let statement = NodeStatements.beat(node: options.node, state: beat.state, needsNotify: beat.needsNotify)
      let rows = try await connection.query(statement).decode(Timestamp?.self)
      try await restoreGuard.remember(connection)
      return rows.compactMap { $0 }.first
    }
    canReadMarks.withLock { $0 = true }
    if let isShared = name.noteSharing(startedAt: registered) { observe(.nameShared(isShared)) }
    if beat.prunesFailures { try await pool.withConnection { try await pruneResolvedFailures($0) } }
  }

  /// Asks writers to notify; returns a transaction id that was assigned after the commit.
  func mark() async throws -> UInt64 {
    let id = try await pool.withConnection { [options] connection in
      try await connection.execute(NodeStatements.setNeedsNotify(node: options.node, true))
      return try await connection.query(NodeStatements.transactionID).one(String.self)
    }
    guard let id = UInt64(id) else { throw PostgresError(.decoding, "\(id) is not a transaction id") }
    return id
  }

  func unmark() async throws {
    _ = try await pool.withConnection { [options] in
      try await $0.execute(NodeStatements.setNeedsNotify(node: options.node, false))
    }
  }

  /// Polls works, as `DuePoll` does; nil on a connection that the node has not met.
  ///
  /// It remembers the newest marks of the database. If they alone could not be read, polls leave them out until the
  /// next heartbeat, whose check reports the reason.
  func poll(
    _ names: Set<String>, returning: Set<String>
  ) async throws -> (snapshot: DueSnapshot, failed: [(work: String, error: PostgresError)])? {
    let poll = DuePoll(works: works, marks: canReadMarks.withLock { $0 } ? restoreGuard.newestMarks : nil, time: time)
    let found = try await pool.withConnection { connection in
      isMet(connection) ? try await poll.poll(names, returning: returning, connection) : nil
    }
    guard let found else { return nil }
    restoreGuard.note(found.snapshot.marks)
    if poll.marks != nil, found.snapshot.marks == nil, found.failed.isEmpty, !names.isEmpty {
      canReadMarks.withLock { $0 = false }
    }
    return found
  }

  /// Waits for running work, and marks the node as stopped.
  func end() async {
    for work in works { await work.finish() }
    // Another daemon's row must not be overwritten.
    if name.isRegistered, name.refusal == nil {
      _ = try? await pool.withConnection { [options] in
        try await $0.execute(NodeStatements.stop(node: options.node))
      }
    }
    restoreGuard.finish()
    observe(.stopped(node: options.node))
  }

  /// Deletes failures of finished items. If that fails for one job, its polls and batches show why.
  private func pruneResolvedFailures(_ connection: Connection) async throws {
    for work in works {
      do {
        try await work.pruneResolvedFailures(connection)
      } catch let error as PostgresError where error.verdict.allowsOthers {
        observe(.contention(job: work.name, error: error))
      }
    }
  }
}
