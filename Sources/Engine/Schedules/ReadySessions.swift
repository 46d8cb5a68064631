import Postgres

/// Sessions of `settled_schedule` that are connected shortly before they are needed, so that no tick waits for one.
///
/// Each serves one run and is closed after it. One that nobody needed is closed soon, so that what is changed about the
/// role holds for every run.
actor ReadySessions {
  static let countMax = 12
  private static let lead: Duration = .milliseconds(1500)
  /// Ticks close together: the runs of the one are let go on before sessions are opened for the next.
  private static let breath: Duration = .milliseconds(250)
  private static let ageMax: Duration = .seconds(30)

  private let options: ConnectionOptions
  private let time: Timekeeper
  private var ready: [Connection] = []
  /// Opens what will be needed, and closes what was not.
  private var keeper: Task<Void, Never>?
  private var expected: Duration?

  var count: Int { ready.count }

  init(_ options: ConnectionOptions, time: Timekeeper) {
    self.options = options
    self.time = time
  }

  deinit { keeper?.cancel() }

  /// As many as there are, up to `limit`.
  func take(_ limit: Int) async -> [Connection] {
    var taken: [Connection] = []
    while taken.count < limit, let session = ready.popLast() {
      if await session.isUsable { taken.append(session) }
    }
    return taken
  }

  /// Takes back what was not used after all.
  func giveBack(_ sessions: [Connection]) {
    ready += sessions
  }

  /// Has sessions ready at `due` (the node's own time), as many as `count` says just before, and for a while after.
  func expect(at due: Duration, count: @escaping @Sendable () async -> Int) {
    if let expected, abs((expected - due).microseconds) < 20_000 { return }
    expected = due
    keeper?.cancel()
    let now = time.now()
    let start = max(now, due - Self.lead, min(now + Self.breath, due - Self.breath))
    keeper = Task { [weak self, time] in
      do {
        if start - now > Self.ageMax {
          try await time.sleep(Self.ageMax)
          await self?.closeAll()
        }
        try await time.sleep(max(.zero, start - time.now()))
        await self?.fill(to: min(count(), Self.countMax))
        try await time.sleep(max(.zero, due - time.now()) + Self.ageMax)
        await self?.closeAll()
      } catch {
        // Something else is expected by now, or nothing any more.
      }
    }
  }

  /// One after the other: there is time. Who cannot connect now will hear why when it matters.
  private func fill(to count: Int) async {
    for _ in 0..<max(0, count - ready.count) where !Task.isCancelled {
      guard let session = try? await Connection.connect(options) else { return }
      // Loads what the end of a run needs into the new server process.
      guard (try? await session.execute("SELECT settled.end_occurrence(NULL)")) != nil, !Task.isCancelled else {
        return await session.close()
      }
      ready.append(session)
    }
  }

  func closeAll() async {
    let idle = ready
    ready = []
    for session in idle { await session.close() }
  }

  func end() async {
    keeper?.cancel()
    keeper = nil
    expected = nil
    await closeAll()
  }
}
