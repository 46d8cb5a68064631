import ControlAPI
import ControlClient
import Dashboard
import TextCoding

/// The one `watch` of all pages: it runs while somebody looks.
actor Watcher {
  private let client: ControlClient
  private let clock = ContinuousClock()
  private var listeners: [Int: AsyncStream<Beat>.Continuation] = [:]
  private var nextListener = 0
  private var beats = 0
  private var tasks: [Task<Void, Never>] = []
  private var cursor: String?
  private var lostSince: ContinuousClock.Instant?
  private var idleTicks = 0
  /// How long the watch waits for the next page: a tab that is hidden and shown takes no second place at the daemon.
  private static let idleTicksMax = 12
  /// The latest, oldest first.
  private(set) var happenings: [JSONValue] = []

  init(_ client: ControlClient) { self.client = client }

  /// The beats from now on. It waits for the watch to begin, so that a page that is read afterwards misses nothing.
  func listen() async -> (id: Int, beats: AsyncStream<Beat>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Beat.self, bufferingPolicy: .bufferingNewest(RelayLimits.linesMax))
    nextListener += 1
    let id = nextListener
    listeners[id] = continuation
    if tasks.isEmpty {
      tasks = [Task { await tick() }]
      await ask()
      tasks.append(Task { await watch() })
    }
    return (id, stream)
  }

  func leave(_ id: Int) {
    listeners.removeValue(forKey: id)?.finish()
  }

  /// Ends all streams.
  func stop() {
    for task in tasks { task.cancel() }
    for listener in listeners.values { listener.finish() }
    (tasks, listeners, cursor, lostSince, idleTicks) = ([], [:], nil, nil, 0)
  }

  private func watch() async {
    while !Task.isCancelled {
      if await !ask() { try? await Task.sleep(for: .seconds(2)) }
    }
  }

  /// One request of the watch, which the daemon answers at once without a cursor, and within 15 s with one.
  @discardableResult
  private func ask() async -> Bool {
    let before = cursor
    let arguments: [String: ParameterValue] = before.map { ["after": .text($0)] } ?? [:]
    guard let request = ControlRequest(.watch, checking: arguments) else { return false }
    guard let response = try? await client.send(request), response.status == 200,
      let answer = try? JSONValue(response.body), let next = answer["cursor"]?.text
    else {
      if lostSince == nil { lostSince = clock.now }
      cursor = nil
      publish([], isIncomplete: false)
      return false
    }
    guard !Task.isCancelled else { return false }
    let wasLost = lostSince != nil
    (cursor, lostSince) = (next, nil)
    let new = answer["happenings"]?.elements ?? []
    happenings = (happenings + new).suffix(RelayLimits.shownHappeningsMax)
    let isIncomplete = wasLost || answer["missed"] == .boolean(true) || new.count > RelayLimits.happeningsMax
    if isIncomplete || !new.isEmpty { publish(Set(new.compactMap { $0["kind"]?.text }), isIncomplete: isIncomplete) }
    return true
  }

  private func tick() async {
    var count = 0
    while !Task.isCancelled {
      try? await Task.sleep(for: RelayLimits.tickEvery)
      count += 1
      idleTicks = listeners.isEmpty ? idleTicks + 1 : 0
      if idleTicks > Self.idleTicksMax, tasks.count > 1 { return stop() }
      publish(
        count % 12 == 0 ? [Part.everyFiveSeconds, Part.everyMinute] : [Part.everyFiveSeconds], isIncomplete: false)
    }
  }

  private func publish(_ kinds: Set<String>, isIncomplete: Bool) {
    beats += 1
    let lost = lostSince.map { Int((clock.now - $0).components.seconds) }
    let beat = Beat(number: beats, kinds: kinds, isIncomplete: isIncomplete, lostSeconds: lost)
    for listener in listeners.values { listener.yield(beat) }
  }
}
