/// At most so many at a time; the others wait in the order in which they came.
actor ConcurrencyLimit {
  private let atOnce: Int
  private let waitingMax: Int
  private var running = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ atOnce: Int, waitingMax: Int) {
    self.atOnce = atOnce
    self.waitingMax = waitingMax
  }

  /// The work's result; nil where too many wait.
  func run<Result: Sendable>(_ work: @Sendable () async -> Result) async -> Result? {
    if running >= atOnce {
      guard waiting.count < waitingMax else { return nil }
      // The one who ends hands its place on.
      await withCheckedContinuation { waiting.append($0) }
    } else {
      running += 1
    }
    let result = await work()
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    return result
  }
}
