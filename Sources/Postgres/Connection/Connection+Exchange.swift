internal import CLibpq

/// One round trip: what is sent, and what is made of the answers. A large one has several parts.
extension Connection {
  private enum Step {
    case deallocate(String)
    case prepare(StatementCache.Key, String)
    case execute(Statement, name: String?)

    /// About the size of its messages.
    var bytes: Int {
      switch self {
      case .deallocate(let name): name.utf8.count
      case .prepare(let key, _): key.sql.utf8.count
      case .execute(let statement, let name):
        statement.binds.reduce(name == nil ? statement.sql.utf8.count : 0) { $0 + ($1.bytes?.count ?? 0) }
      }
    }
  }

  /// The most bytes of a part, unless one statement has more.
  ///
  /// libpq moves what it could not send yet to the front of its buffer again and again, so a large buffer costs the
  /// square of its size.
  private static var partMax: Int { 1 << 20 }

  /// Sends the statements and returns their rows. In a transaction a large batch is sent in parts, each after the
  /// answers to the part before; outside, one part is one transaction.
  func exchange(_ batch: Batch, _ source: StatementSource) async throws(PostgresError) -> [Rows] {
    let isInTransaction = transaction != nil || !batch.opening.isEmpty
    var unsent = plan(batch, source)[...]
    var rows: [Rows] = []
    repeat {
      let part = isInTransaction ? takePart(of: &unsent) : unsent
      if !isInTransaction { unsent = [] }
      do {
        try await exchange(part, into: &rows)
        if !unsent.isEmpty { try checkInterruption() }
      } catch {
        unsent.forEach(keepStale)
        throw error
      }
    } while !unsent.isEmpty
    try checkReplication()
    return rows
  }

  private func exchange(_ part: ArraySlice<Step>, into rows: inout [Rows]) async throws(PostgresError) {
    guard let pg = socket.pg else { throw loss ?? .lost }
    var isSent = PQenterPipelineMode(pg) == 1
    for step in part where isSent { isSent = send(step, to: pg) }
    guard isSent, PQpipelineSync(pg) == 1 else { throw broken(pg) }
    startAnswer()
    write()
    var failure: PostgresError?
    var remaining = part
    var isBetween = true
    var isComplete = false
    while let status = try await nextStatus(&isBetween) {
      guard let (status, result) = status else { continue }
      isComplete = status == PGRES_PIPELINE_SYNC
      if isComplete { break }
      startAnswer()
      guard let step = remaining.popFirst() else { throw broken(pg) }
      switch status {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        switch step {
        case .deallocate: break
        case .prepare(let key, let name): cache.insert(key, name: name)
        case .execute(let statement, _): rows.append(Rows(result, sql: statement.sql))
        }
      case PGRES_PIPELINE_ABORTED: keepStale(step)
      default:
        let error = error(of: result, status)
        if failure == nil { failure = error }
        if socket.isClosed { throw failure ?? error }
      }
    }
    guard isComplete, remaining.isEmpty, let pg = socket.pg, PQexitPipelineMode(pg) == 1 else { throw broken(pg) }
    if let failure { throw failure }
  }

  private func takePart(of unsent: inout ArraySlice<Step>) -> ArraySlice<Step> {
    var (count, bytes) = (0, 0)
    for step in unsent {
      bytes += step.bytes
      if count > 0, bytes > Self.partMax { break }
      count += 1
    }
    defer { unsent = unsent.dropFirst(count) }
    return unsent.prefix(count)
  }

  /// Fails if a cancel request found the server between two parts. As after an error of the server, the transaction can
  /// only be rolled back.
  private func checkInterruption() throws(PostgresError) {
    guard let interruption = operation?.interruption else { return }
    let error = PostgresError(
      interruption == .timeout ? .timeout : .cancelled, "canceling statements between two parts", sqlState: "57014")
    transaction?.failure = error
    throw error
  }

  /// A statement that was not deallocated is to be deallocated with a later batch.
  private func keepStale(_ step: Step) {
    if case .deallocate(let name) = step { cache.keepStale(name) }
  }

  func exchange(script: String) async throws(PostgresError) {
    guard let pg = socket.pg else { throw loss ?? .lost }
    guard PQsendQuery(pg, script) == 1 else { throw broken(pg) }
    startAnswer()
    write()
    var failure: PostgresError?
    while let pointer = try await nextResult() {
      startAnswer()
      let result = ResultStorage(pointer)
      switch result.status {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default:
        let error = error(of: result, result.status)
        if failure == nil { failure = error }
        if socket.isClosed { throw failure ?? error }
      }
    }
    if let failure { throw failure }
    try checkReplication()
  }

  /// Refuses to call committed what no standby has confirmed: after a failover it may never have been.
  private func checkReplication() throws(PostgresError) {
    guard socket.sink.isReplicationUnconfirmed else { return }
    let error = PostgresError(
      .connection, "no synchronous standby confirmed the commit in time")
    lose(error)
    throw error
  }

  /// The next answer; `.some(nil)` between two steps, nil when libpq has no more.
  private func nextStatus(
    _ isBetween: inout Bool
  ) async throws(PostgresError) -> (ExecStatusType, ResultStorage)?? {
    guard let pointer = try await nextResult() else {
      defer { isBetween = true }
      return isBetween ? nil : .some(nil)
    }
    isBetween = false
    let result = ResultStorage(pointer)
    return (result.status, result)
  }

  private func plan(_ batch: Batch, _ source: StatementSource) -> [Step] {
    guard options.preparedStatements, source != .internal else { return batch.all.map { .execute($0, name: nil) } }
    var steps: [Step] = batch.opening.map { .execute($0, name: nil) }
    if !batch.statements.isEmpty { steps += cache.takeStale().map { .deallocate($0) } }
    var fresh: [StatementCache.Key: String] = [:]
    for statement in batch.statements {
      let key = StatementCache.Key(statement)
      if let name = cache.name(for: key) ?? fresh[key] {
        steps.append(.execute(statement, name: name))
      } else {
        let name = cache.makeName()
        fresh[key] = name
        steps += [.prepare(key, name), .execute(statement, name: name)]
      }
    }
    return steps + batch.closing.map { .execute($0, name: nil) }
  }

  private func send(_ step: Step, to pg: OpaquePointer) -> Bool {
    switch step {
    case .deallocate(let name):
      return PQsendQueryParams(pg, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1
    case .prepare(let key, let name):
      let types = key.types.map(\.rawValue)
      return PQsendPrepare(pg, name, key.sql, Int32(types.count), types) == 1
    case .execute(let statement, let name):
      return BindBuffer(statement.binds).withPointers { values, lengths, formats in
        let count = Int32(statement.binds.count)
        if let name { return PQsendQueryPrepared(pg, name, count, values, lengths, formats, 1) == 1 }
        let types = statement.binds.map(\.type.rawValue)
        return PQsendQueryParams(pg, statement.sql, count, types, values, lengths, formats, 1) == 1
      }
    }
  }

  /// The server's time for the next answer starts now.
  private func startAnswer() {
    if let operation, let limit = operation.limit, operation.interruption == nil { setDeadline(.now + limit) }
  }

  /// Sending failed, or the answers ended early or were others than expected: the connection is of no more use.
  private func broken(_ pg: OpaquePointer) -> PostgresError {
    let message = PQerrorMessage(pg).map { String(cString: $0).firstLine } ?? ""
    let error =
      socket.sink.terminationNotice.map { PostgresError(.connection, server: $0) }
      ?? PostgresError(.connection, message.isEmpty ? "the responses did not match the queries" : message)
    lose(error)
    return error
  }
}
