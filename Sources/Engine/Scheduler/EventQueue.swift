import Postgres
import Synchronization

/// The events since the scheduler last took them; any number of events cause one wake-up.
final class EventQueue: Sendable {
  private struct Sender: Hashable {
    let name: String
    let process: Int32
  }

  /// Each work runs once at a time, and events of other kinds are merged: a queue that is not emptied does not grow.
  private struct State {
    var isStopped = false
    var isWoken = false
    var isDrained: Bool?
    var isListening: Bool?
    var ended: [(work: String, outcome: RunOutcome)] = []
    var roomy: Set<String> = []
    var heard: [Sender: Int] = [:]
    var isNew = false
  }

  /// The notifications of further sessions count as one session's.
  private static let sendersMax = 1_000

  private let state = Mutex(State())
  private let kicks: AsyncStream<Void>
  private let kick: AsyncStream<Void>.Continuation

  init() {
    (kicks, kick) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func stop() { update { $0.isStopped = true } }

  /// Something may have become due.
  func wake() { update { $0.isWoken = true } }

  func drain(_ isDrained: Bool) { update { $0.isDrained = isDrained } }

  func listen(_ isListening: Bool) { update { $0.isListening = isListening } }

  func end(_ work: String, _ outcome: RunOutcome) { update { $0.ended.append((work, outcome)) } }

  func makeRoom(_ work: String) { update { $0.roomy.insert(work) } }

  func hear(_ notification: Notification) {
    update { state in
      let sender = Sender(name: notification.payload, process: notification.pid)
      let isKnown = state.heard[sender] != nil || state.heard.count < Self.sendersMax
      state.heard[isKnown ? sender : Sender(name: "", process: 0), default: 0] += 1
    }
  }

  private func update(_ change: @Sendable (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.isNew = true
    }
    kick.yield()
  }

  /// Whether anything happened since events were last taken.
  var hasNews: Bool { state.withLock { $0.isNew } }

  func take() -> [NodeMachine.Event] {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    var events = taken.ended.map { NodeMachine.Event.ended(work: $0, $1) }
    events += taken.roomy.sorted().map { .roomy(work: $0) }
    events += taken.heard.map { .heard(sender: $0.name, process: $0.process, count: $1) }
    if let isListening = taken.isListening { events.append(.listening(isListening)) }
    if let isDrained = taken.isDrained { events.append(.drained(isDrained)) }
    if taken.isWoken { events.append(.woken) }
    if taken.isStopped { events.append(.stopped) }
    return events
  }

  /// Returns at the next kick, or after `timeout`.
  func wait(atMost timeout: Duration, time: Timekeeper) async {
    let timer = Task { [kick] in
      guard (try? await time.sleep(timeout)) != nil else { return }
      kick.yield()
    }
    defer { timer.cancel() }
    guard Task.isCancelled else { return await next() }
    // Unstructured, because in a cancelled task it would return immediately, and the loop waits for batches.
    await Task { await next() }.value
  }

  private func next() async {
    var iterator = kicks.makeAsyncIterator()
    await iterator.next()
  }
}
