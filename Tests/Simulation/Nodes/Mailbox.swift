import Engine

/// What happened to a node since it last looked: the simulator's `EventQueue`.
final class Mailbox: @unchecked Sendable {
  private let program: Program
  private let clock: Clockwork
  private var ended: [(work: String, outcome: RunOutcome)] = []
  private var roomy: Set<String> = []
  private var heard: [String: (sender: String, process: Int32, count: Int)] = [:]
  private var isListening: Bool?
  private var isDrained: Bool?
  private var isWoken = false
  private var isStopped = false
  private var hasNews = false
  private var sleeper: UnsafeContinuation<Void, Never>?
  private var sleeps = 0
  /// How much there was to poll for so far, besides notifications.
  private(set) var causes = 0

  init(_ program: Program, _ clock: Clockwork) {
    (self.program, self.clock) = (program, clock)
  }

  func end(_ work: String, _ outcome: RunOutcome) { update { ended.append((work, outcome)) } }
  func makeRoom(_ work: String) { update { roomy.insert(work) } }
  func listen(_ isListening: Bool) { update { self.isListening = isListening } }
  func drain(_ isDrained: Bool) { update { self.isDrained = isDrained } }
  func wake() { update { isWoken = true } }

  /// The same without a reason.
  func disturb() {
    isWoken = true
    news()
  }

  func stop() { update { isStopped = true } }

  func hear(sender: String, process: Int32) {
    heard["\(sender) \(process)", default: (sender, process, 0)].count += 1
    news()
  }

  private func update(_ change: () -> Void) {
    change()
    causes += 1
    news()
  }

  private func news() {
    hasNews = true
    wakeSleeper()
  }

  private func wakeSleeper() {
    let waiting = sleeper
    sleeper = nil
    waiting?.resume()
  }

  func take() -> [NodeMachine.Event] {
    var events = ended.map { NodeMachine.Event.ended(work: $0, $1) }
    events += roomy.sorted().map { .roomy(work: $0) }
    events += heard.sorted { $0.key < $1.key }.map {
      .heard(sender: $0.value.sender, process: $0.value.process, count: $0.value.count)
    }
    if let isListening { events.append(.listening(isListening)) }
    if let isDrained { events.append(.drained(isDrained)) }
    if isWoken { events.append(.woken) }
    if isStopped { events.append(.stopped) }
    (ended, roomy, heard, isListening, isDrained, isWoken, hasNews) = ([], [], [:], nil, nil, false, false)
    return events
  }

  /// Returns when something has happened, at the latest after that span.
  func wait(atMost span: Duration) async throws {
    try program.check()
    guard !hasNews, span > .zero else { return }
    sleeps += 1
    let number = sleeps
    await withUnsafeContinuation { (waiting: UnsafeContinuation<Void, Never>) in
      sleeper = waiting
      clock.after(span) { [self] in program.deliver { if number == self.sleeps { self.wakeSleeper() } } }
    }
    try program.check()
  }
}
