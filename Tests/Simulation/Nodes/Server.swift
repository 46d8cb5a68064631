import Postgres

/// The server: the model of the database, the way there and back, and what operators and the network do to it.
final class Server: @unchecked Sendable {
  /// Business time at the begin of a run.
  static let epoch = Timestamp(microseconds: 1_800_000_000_000_000)

  let clock: Clockwork
  var model = DatabaseModel(time: Server.epoch)
  /// What the model leaves out of the clock guard.
  var clockBook = ClockBook()
  private var chance: Chance
  /// Connections are refused until then.
  var refusedUntil: Duration = .zero
  /// How much longer each way takes than usual.
  var slowness = 1.0
  var lostCommits = 0.0
  var notificationDelay: Duration = .zero
  private var requests: [SessionID: Request] = [:]
  private var links: [SessionID: Link] = [:]
  private var listeners: [(session: SessionID, hear: (DatabaseModel.Notification) -> Void)] = []
  private var timer: Duration?
  /// How many notifications were delivered.
  private(set) var notified = 0
  /// How many statements and commits of nodes have arrived.
  private(set) var statements = 0

  private final class Request {
    let link: Link
    let effect: ((Answer) -> Void)?
    let isCommit: Bool
    let resume: (Result<Answer, any Error>) -> Void

    init(
      _ link: Link, isCommit: Bool, _ effect: ((Answer) -> Void)?,
      _ resume: @escaping (Result<Answer, any Error>) -> Void
    ) {
      (self.link, self.isCommit, self.effect, self.resume) = (link, isCommit, effect, resume)
    }
  }

  init(_ clock: Clockwork, _ chance: Chance) {
    (self.clock, self.chance) = (clock, chance)
  }

  /// The server's clock.
  var now: Timestamp { moment.after(model.clockLead) }
  /// How far the clock is from what operators have accepted.
  var clockError: Duration { model.clockLead - clockBook.accepted }
  func isClockOff(by limit: Duration) -> Bool { max(clockError, .zero - clockError) > limit }
  /// The true time.
  var moment: Timestamp { Self.epoch.after(clock.now) }

  private func way() -> Duration {
    let usual = chance.span(.microseconds(100)...(.microseconds(600)))
    return (chance.hits(0.01) ? usual * 20 : usual) * slowness
  }

  // MARK: Connections

  func connect(_ program: Program, node: String = "") async throws -> Link {
    try await program.pause(way() * 4)
    guard clock.now >= refusedUntil else { throw Self.refused }
    let link = Link(program, model.connect(node: node), isOfNode: !node.isEmpty)
    links[link.session] = link
    return link
  }

  private static let refused = PostgresError(.connection, "connection refused", sqlState: "57P03")
  private static let gone = PostgresError(.connection, "the connection is gone")

  func listen(_ link: Link, _ hear: @escaping (DatabaseModel.Notification) -> Void) {
    listeners.append((link.session, hear))
  }

  /// The session ends on the server; the client knows at once, or at its next statement.
  func lose(_ link: Link, isKnown: Bool = true) {
    guard links.removeValue(forKey: link.session) != nil else { return }
    model.lose(link.session)
    listeners.removeAll { $0.session == link.session }
    if let request = requests.removeValue(forKey: link.session) { answer(request, .failure(Self.gone)) }
    // A client that was not told finds out in time.
    clock.after(isKnown ? .zero : .seconds(10)) { link.program.deliver { link.close() } }
    settle()
  }

  /// All sessions end, or those of one program.
  func loseAll(of program: Program? = nil, isKnown: Bool = true) {
    for link in links.values.sorted(by: { $0.session < $1.session })
    where program == nil || link.program === program { lose(link, isKnown: isKnown) }
  }

  /// Ends a session as `pg_terminate_backend` does.
  func end(_ session: SessionID) {
    if let link = links[session] { lose(link) }
  }

  // MARK: Statements

  /// `effect` is applied when the statement's transaction is committed.
  @discardableResult
  func run(
    _ statement: DatabaseModel.Statement, _ link: Link, effect: ((Answer) -> Void)? = nil
  ) async throws -> Answer {
    try await send(link, effect) { model, session in model.execute(statement, in: session) }
  }

  /// The same; `seen` is called when the server has run the statement.
  func ask(_ statement: DatabaseModel.Statement, _ link: Link, seen: @escaping () -> Void) async throws -> Answer {
    try await send(link, seen: seen) { model, session in model.execute(statement, in: session) }
  }

  @discardableResult
  func transaction<Value>(_ link: Link, _ body: () async throws -> Value) async throws -> Value {
    guard links[link.session] != nil else {
      link.close()
      throw Self.gone
    }
    model.begin(link.session)
    link.isInTransaction = true
    do {
      let value = try await body()
      try await send(link, isCommit: true) { model, session in model.commit(session) }
      return value
    } catch {
      rollBack(link)
      throw error
    }
  }

  private func rollBack(_ link: Link) {
    link.effects = []
    // The sessions of a program that has ended end with it.
    guard link.isInTransaction, links[link.session] != nil, link.program.isAlive else { return }
    link.isInTransaction = false
    model.rollback(link.session)
    settle()
  }

  @discardableResult
  private func send(
    _ link: Link, isCommit: Bool = false, _ effect: ((Answer) -> Void)? = nil, seen: (() -> Void)? = nil,
    _ body: @escaping (inout DatabaseModel, SessionID) -> DatabaseModel.Outcome
  ) async throws -> Answer {
    try link.program.check()
    let result: Result<Answer, any Error> = await withUnsafeContinuation { waiting in
      let request = Request(link, isCommit: isCommit, effect) { waiting.resume(returning: $0) }
      clock.after(way()) { [self] in arrive(request, seen, body) }
    }
    try link.program.check()
    return try result.get()
  }

  private func arrive(
    _ request: Request, _ seen: (() -> Void)?,
    _ body: (inout DatabaseModel, SessionID) -> DatabaseModel.Outcome
  ) {
    let link = request.link
    guard !clock.isOver, links[link.session] != nil else {
      link.close()
      return answer(request, .failure(Self.gone), after: link.program.isAlive ? .milliseconds(500) : .zero)
    }
    if link.isOfNode { statements += 1 }
    model.advance(to: moment)
    let outcome = body(&model, link.session)
    seen?()
    if outcome == .waits { requests[link.session] = request } else { conclude(request, outcome) }
    settle()
  }

  private func conclude(_ request: Request, _ outcome: DatabaseModel.Outcome) {
    let link = request.link
    if request.isCommit { link.isInTransaction = false }
    switch outcome {
    case .waits: return
    case .failed(let sqlState):
      link.effects = []
      let isLost = sqlState == "57P01"
      if isLost { link.close() }
      let error = PostgresError(isLost ? .connection : .server, "failed", sqlState: sqlState)
      return answer(request, .failure(error))
    case .done(let value):
      if let effect = request.effect { link.effects.append { effect(value) } }
      guard !link.isInTransaction else { return answer(request, .success(value)) }
      let effects = link.effects
      link.effects = []
      for effect in effects { effect() }
      if request.isCommit, chance.hits(lostCommits) {
        answer(request, .failure(Self.gone))
        return lose(link)
      }
      answer(request, .success(value))
    }
  }

  private func answer(_ request: Request, _ result: Result<Answer, any Error>, after span: Duration? = nil) {
    let program = request.link.program
    clock.after(span ?? way()) { program.deliver { request.resume(result) } }
  }

  /// Passes on what the last change has let happen, and sets the timer of the next wait.
  private func settle() {
    for (session, outcome) in model.takeResumed() {
      if let request = requests.removeValue(forKey: session) { conclude(request, outcome) }
    }
    for (session, hear) in listeners {
      let notes = model.takeNotifications(session)
      guard let link = links[session], !notes.isEmpty else { continue }
      notified += notes.count
      clock.after(way() + notificationDelay) { link.program.deliver { if link.isOpen { notes.forEach(hear) } } }
    }
    guard let next = model.nextTimer?.since(Self.epoch), timer.map({ next < $0 }) ?? true else { return }
    timer = next
    clock.at(next) { [self] in
      timer = nil
      guard !clock.isOver else { return }
      model.advance(to: moment)
      settle()
    }
  }
}

/// A connection of a program.
final class Link: @unchecked Sendable {
  let program: Program
  let session: SessionID
  /// Apps and operators connect too.
  let isOfNode: Bool
  /// As far as the program knows.
  private(set) var isOpen = true
  /// What its transaction does to the books, once it is committed.
  var effects: [() -> Void] = []
  var isInTransaction = false
  private var waiting: UnsafeContinuation<Void, Never>?

  init(_ program: Program, _ session: SessionID, isOfNode: Bool) {
    (self.program, self.session, self.isOfNode) = (program, session, isOfNode)
  }

  func close() {
    isOpen = false
    waiting?.resume()
    waiting = nil
  }

  func untilClosed() async {
    guard isOpen else { return }
    await withUnsafeContinuation { waiting = $0 }
  }
}
