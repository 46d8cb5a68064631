/// Virtual time: events happen one after the other, and the tasks that they resume run at once, on one thread.
///
/// So a run is a function of its seed. Where two events have the same time, the one that was planned first comes first.
final class Clockwork: TaskExecutor, @unchecked Sendable {
  private struct Event {
    let at: Duration
    let number: Int
    let body: () -> Void

    func comes(before other: Event) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  private(set) var now: Duration = .zero
  private(set) var steps = 0
  /// Whether the run is over: nothing more begins, and all that waits ends.
  private(set) var isOver = false
  private var planned = 0
  /// A heap.
  private var events: [Event] = []
  private var jobs: [UnownedJob] = []

  // MARK: Tasks

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  private func runTasks() {
    var next = 0
    while next < jobs.count {
      let job = jobs[next]
      next += 1
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    jobs.removeAll(keepingCapacity: true)
  }

  // MARK: Events

  func after(_ span: Duration, _ body: @escaping () -> Void) { at(now + max(.zero, span), body) }

  func at(_ time: Duration, _ body: @escaping () -> Void) {
    planned += 1
    events.append(Event(at: time, number: planned, body: body))
    rise(events.count - 1)
  }

  /// Lets the next event happen that is due until `end`; false where there is none.
  func step(until end: Duration) -> Bool {
    runTasks()
    guard let first = events.first, first.at <= end else { return false }
    steps += 1
    now = max(now, first.at)
    removeFirst().body()
    runTasks()
    return true
  }

  /// Ends everything that still waits.
  func finish() {
    isOver = true
    while !events.isEmpty {
      removeFirst().body()
      runTasks()
    }
  }

  private func removeFirst() -> Event {
    let first = events[0]
    let last = events.removeLast()
    guard !events.isEmpty else { return first }
    events[0] = last
    sink()
    return first
  }

  private func rise(_ index: Int) {
    var child = index
    while child > 0 {
      let parent = (child - 1) / 2
      guard events[child].comes(before: events[parent]) else { return }
      events.swapAt(child, parent)
      child = parent
    }
  }

  private func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < events.count {
        if events[child].comes(before: events[least]) { least = child }
      }
      guard least != parent else { return }
      events.swapAt(parent, least)
      parent = least
    }
  }
}

/// One run of a program. What reaches it while it is frozen waits; where it has ended, its tasks end.
final class Program: @unchecked Sendable {
  private let clock: Clockwork
  private(set) var isAlive = true
  private(set) var isFrozen = false
  private var deferred: [() -> Void] = []

  init(_ clock: Clockwork) {
    self.clock = clock
  }

  /// Runs now, or when the program thaws.
  func deliver(_ body: @escaping () -> Void) {
    if isFrozen, isAlive, !clock.isOver { deferred.append(body) } else { body() }
  }

  func freeze() { isFrozen = true }

  func thaw() {
    isFrozen = false
    let bodies = deferred
    deferred = []
    for body in bodies { body() }
  }

  func end() {
    isAlive = false
    thaw()
  }

  /// Throws where the program has ended meanwhile.
  func pause(_ span: Duration) async throws {
    await withUnsafeContinuation { (waiting: UnsafeContinuation<Void, Never>) in
      clock.after(span) { [self] in deliver { waiting.resume() } }
    }
    try check()
  }

  func check() throws {
    guard isAlive, !clock.isOver else { throw ProgramEnded() }
  }
}

struct ProgramEnded: Error {}
