import Engine
import Postgres

/// A session of `settled_schedule`, and its past use.
struct RunSession: Sendable {
  let connection: Connection
  let backend: Int32
  /// The node's own time.
  let openedAt: Duration
  var runs = 0
  /// Its server process has planned the statements that end a run.
  var isLoaded = false
}

/// Sessions of `settled_schedule` for operators' runs, connected shortly before they are
/// needed, so that no tick waits for one.
///
/// Between two runs DISCARD ALL and its settings reset a session. It serves a hundred runs or one minute at most, so
/// that changes to the role soon apply to every run, and anything that DISCARD ALL leaves is short-lived.
actor RunSessions {
  /// Idle sessions and those in use; as many runs may be running at a time.
  static let countMax = 12
  static let runsMax = 100
  static let ageMax: Duration = .seconds(60)
  private static let lead: Duration = .milliseconds(1500)
  /// Ticks close together: the runs of one may finish before sessions are opened for the next.
  private static let breath: Duration = .milliseconds(250)

  private let options: ConnectionOptions
  private let time: Timekeeper
  private(set) var ready: [RunSession] = []
  /// The sessions that were taken and not returned; some of these are closed.
  private var lent: [Connection] = []
  /// Opens sessions that will be needed.
  private var opener: Task<Void, Never>?
  /// Closes sessions that are idle for too long.
  private var closer: Task<Void, Never>?
  private var expected: Duration?
  /// How many were needed at the last count.
  private var lastWanted: Int?

  var count: Int { ready.count }

  init(_ options: ConnectionOptions, time: Timekeeper) {
    self.options = options
    self.time = time
  }

  deinit {
    opener?.cancel()
    closer?.cancel()
  }

  /// As many as there are, up to `limit`; those that served last first.
  func take(_ limit: Int) async -> [RunSession] {
    var taken: [RunSession] = []
    while taken.count < limit, let session = ready.popLast() {
      // It was usable when it was returned.
      if isYoung(session), session.connection.isOpen {
        taken.append(session)
      } else {
        await session.connection.close()
      }
    }
    lend(taken)
    return taken
  }

  private func lend(_ sessions: [RunSession]) {
    lent.removeAll { !$0.isOpen }
    lent += sessions.map(\.connection)
  }

  private func isYoung(_ session: RunSession) -> Bool {
    session.runs < Self.runsMax && time.now() - session.openedAt < Self.ageMax
  }

  /// Connects immediately, in parallel; the error if a connection failed.
  func open(_ count: Int) async -> ([RunSession], (any Error)?) {
    let (open, failure) = await withTaskGroup(of: Result<RunSession, any Error>.self) { [options, time] group in
      for _ in 0..<max(0, count) {
        group.addTask {
          do { return .success(try await Self.connect(options, time)) } catch { return .failure(error) }
        }
      }
      var open: [RunSession] = []
      var failure: (any Error)?
      for await result in group {
        switch result {
        case .success(let session): open.append(session)
        case .failure(let error): failure = error
        }
      }
      return (open, failure)
    }
    lend(open)
    return (open, failure)
  }

  private static func connect(_ options: ConnectionOptions, _ time: Timekeeper) async throws -> RunSession {
    guard !options.poolsTransactions else {
      throw PostgresError(.usage, "schedules_database_url must bypass the proxy that pools transactions")
    }
    let connection = try await Connection.connect(options)
    return RunSession(connection: connection, backend: connection.backendPID, openedAt: time.now())
  }

  /// Takes back unused sessions.
  func giveBack(_ sessions: [RunSession]) {
    lent.removeAll { connection in sessions.contains { $0.connection === connection } }
    ready += sessions
    closeWhenOld()
  }

  /// Takes back a session whose run has committed: reset, or not at all.
  func giveBack(_ session: RunSession, after run: ClaimedOccurrence) async {
    var session = session
    session.runs += 1
    session.isLoaded = false
    guard isYoung(session), ready.count < Self.countMax, (try? await session.connection.renew()) != nil else {
      return await session.connection.close()
    }
    giveBack([session])
  }

  /// Prepares sessions for `due` (the node's own time): the number that `count` returns just before, less the `others`
  /// that are opened elsewhere.
  ///
  /// If the others were enough last time it does not count: it counts again once it comes first.
  func expect(at due: Duration, others: Int, count: @escaping @Sendable () async -> Int) {
    if others > 0, let lastWanted, lastWanted <= others { return }
    if let expected, abs((expected - due).microseconds) < 20_000 { return }
    expected = due
    opener?.cancel()
    let now = time.now()
    let start = max(now, due - Self.lead, min(now + Self.breath, due - Self.breath))
    opener = Task { [weak self, time] in
      // A cancellation means that another instant is expected by now, or none.
      guard (try? await time.sleep(max(.zero, start - time.now()))) != nil else { return }
      await self?.fill(beside: others, of: count(), at: due)
    }
  }

  /// One after the other, because there is time. A failure to connect now is reported when a run needs the session.
  ///
  /// Those in use count: as long as they are, there are fewer places for other runs.
  private func fill(beside others: Int, of wanted: Int, at due: Duration) async {
    lastWanted = wanted
    let count = min(wanted - others, Self.countMax - lent.count(where: \.isOpen))
    let good = ready.count(where: { $0.runs < Self.runsMax && due - $0.openedAt < Self.ageMax })
    for _ in 0..<max(0, count - good) where !Task.isCancelled {
      guard let session = try? await Self.connect(options, time), await load(session) else { return }
    }
    while !Task.isCancelled, let index = ready.firstIndex(where: { !$0.isLoaded }) {
      guard await load(ready.remove(at: index)) else { return }
    }
  }

  /// Makes a new or reset server process plan the statements that end a run.
  private func load(_ session: RunSession) async -> Bool {
    var session = session
    let load: Statement = "SELECT settled.begin_occurrence(NULL, NULL), settled.end_occurrence(NULL)"
    session.isLoaded = (try? await session.connection.execute(load)) != nil
    guard session.isLoaded, !Task.isCancelled else {
      await session.connection.close()
      return false
    }
    giveBack([session])
    return true
  }

  /// Closes sessions when they become too old, while there are any.
  private func closeWhenOld() {
    guard closer == nil, let oldest = ready.map(\.openedAt).min() else { return }
    closer = Task { [weak self, time] in
      guard (try? await time.sleep(max(.zero, oldest + Self.ageMax - time.now()))) != nil else { return }
      await self?.closeOld()
    }
  }

  private func closeOld() async {
    closer = nil
    let old = ready.filter { !isYoung($0) }
    ready.removeAll { !isYoung($0) }
    closeWhenOld()
    for session in old { await session.connection.close() }
  }

  func end() async {
    opener?.cancel()
    closer?.cancel()
    (opener, closer, expected) = (nil, nil, nil)
    let idle = ready
    ready = []
    for session in idle { await session.connection.close() }
  }
}
