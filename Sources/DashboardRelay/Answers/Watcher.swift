import ControlAPI
import ControlClient
import Dashboard
import TextCoding

/// The one `watch` of all pages: it runs while somebody looks.
actor Watcher {
  private let client: ControlClient
  private let forget: @Sendable () async -> Void
  private let clock = ContinuousClock()
  private var listeners: [Int: AsyncStream<Beat>.Continuation] = [:]
  private var nextListener = 0
  /// How many beats there were.
  private(set) var beats = 0
  private var tasks: [Task<Void, Never>] = []
  private var cursor: String?
  private var lostSince: ContinuousClock.Instant?
  private var refusal: String?
  private var idleTicks = 0
  /// How long the watch waits for the next page: a tab that is hidden and shown takes no second place at the daemon.
  private static let idleTicksMax = 12
  /// The latest, oldest first.
  private(set) var happenings: [JSONValue] = []

  /// - Parameters:
  ///   - answerAtMost: longer than the daemon holds a request of the watch.
  ///   - forget: drops what was read before a happening; called before pages learn of it.
  init(
    path: String, answerAtMost: Duration = RelayLimits.answerAtMost, forget: @escaping @Sendable () async -> Void
  ) {
    client = ControlClient(path: path, answerAtMost: answerAtMost, bytesMax: RelayLimits.answerBytesMax)
    self.forget = forget
  }

  /// The beats from now on. The first comes once the watch has begun or failed: what is read afterwards misses nothing.
  func listen() -> (id: Int, beats: AsyncStream<Beat>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Beat.self, bufferingPolicy: .bufferingNewest(RelayLimits.linesMax))
    nextListener += 1
    let id = nextListener
    listeners[id] = continuation
    if tasks.isEmpty {
      tasks = [Task { await tick() }, Task { await watch() }]
    } else if cursor != nil || lostSince != nil || refusal != nil {
      continuation.yield(beat([], isIncomplete: true))
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
    (tasks, listeners, cursor, lostSince, refusal, idleTicks) = ([], [:], nil, nil, nil, 0)
  }

  private func watch() async {
    while !Task.isCancelled {
      if await !ask() { try? await Task.sleep(for: refusal == nil ? RelayLimits.lostEvery : RelayLimits.refusedEvery) }
    }
  }

  /// One request of the watch, which the daemon answers at once without a cursor, and within 15 s with one.
  private func ask() async -> Bool {
    let (before, begin) = (cursor, clock.now)
    let arguments: [String: ParameterValue] = before.map { ["after": .text($0)] } ?? [:]
    guard let request = ControlRequest(.watch, checking: arguments) else { return false }
    let response = try? await client.send(request)
    guard !Task.isCancelled else { return false }
    let answer = response.flatMap { try? JSONValue($0.body) }
    guard let response, let answer else {
      (cursor, refusal, lostSince) = (nil, nil, lostSince ?? begin)
      publish([], isIncomplete: false)
      return false
    }
    guard response.status == 200, let next = answer["cursor"]?.text else {
      // The daemon is there: what pages show is read each minute meanwhile.
      (cursor, lostSince) = (nil, nil)
      refusal = answer["detail"]?.text ?? "the daemon returned \(response.status)"
      publish([], isIncomplete: before != nil)
      return false
    }
    (cursor, lostSince, refusal) = (next, nil, nil)
    let new = answer["happenings"]?.elements ?? []
    happenings = (happenings + new).suffix(RelayLimits.shownHappeningsMax)
    let isIncomplete =
      before == nil || answer["missed"] == .boolean(true) || new.count > RelayLimits.happeningsMax
    guard isIncomplete || !new.isEmpty else { return true }
    await forget()
    publish(Set(new.compactMap { $0["kind"]?.text }), isIncomplete: isIncomplete)
    return true
  }

  private func tick() async {
    var count = 0
    while !Task.isCancelled {
      try? await Task.sleep(for: RelayLimits.tickEvery)
      count += 1
      idleTicks = listeners.isEmpty ? idleTicks + 1 : 0
      if idleTicks > Self.idleTicksMax { return stop() }
      let isMinute = count % 12 == 0
      publish(
        isMinute ? [Part.everyFiveSeconds, Part.everyMinute] : [Part.everyFiveSeconds],
        isIncomplete: isMinute && refusal != nil)
    }
  }

  private func publish(_ kinds: Set<String>, isIncomplete: Bool) {
    beats += 1
    let beat = beat(kinds, isIncomplete: isIncomplete)
    for listener in listeners.values { listener.yield(beat) }
  }

  private func beat(_ kinds: Set<String>, isIncomplete: Bool) -> Beat {
    let lost = lostSince.map { Int((clock.now - $0).components.seconds) }
    return Beat(number: beats, kinds: kinds, isIncomplete: isIncomplete, refusal: refusal, lostSeconds: lost)
  }
}
