import Postgres

/// Sessions of `settled_schedule` that are connected shortly before they are needed, so that no tick waits for one.
///
/// Each serves one run and is closed after it. One that nobody needed is closed soon, so that what is changed about the
/// role holds for every run.
actor ReadySessions {
  static let countMax = 12
  private static let lead: Duration = .milliseconds(1500)
  private static let ageMax: Duration = .seconds(30)

  private let options: ConnectionOptions
  private let time: Timekeeper
  private var ready: [Connection] = []
  /// Opens what will be needed, and closes what was not.
  private var keeper: Task<Void, Never>?

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

  /// Has `count` sessions ready when `due` has passed, and for a while after.
  func expect(_ count: Int, in due: Duration) {
    keeper?.cancel()
    keeper = Task { [weak self, time] in
      guard (try? await time.sleep(max(.zero, due - Self.lead))) != nil else { return }
      await self?.fill(to: min(count, Self.countMax))
      guard (try? await time.sleep(max(.zero, min(due, Self.lead)) + Self.ageMax)) != nil else { return }
      await self?.closeAll()
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
    await closeAll()
  }
}
