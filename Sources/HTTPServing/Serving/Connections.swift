import Synchronization

/// The open connections of one socket, and the limits on their number.
final class Connections: Sendable {
  private struct State {
    var bySharer: [String: Int] = [:]
    var count = 0
    /// Refused callers that are still to read why.
    var refused = 0
    /// The tasks that serve them, by a number of their own; a task ends a little after its connection.
    var tasks: [Int: Task<Void, Never>] = [:]
    var lastTask = 0
    var isCancelled = false
  }

  private let limits: ServingLimits
  private let state = Mutex(State())

  init(limits: ServingLimits) {
    self.limits = limits
  }

  /// Whether one more is within the limits; it counts until `leave`.
  ///
  /// A sharer's part is of what the others leave, so that two of them do not fill the socket.
  func enter(_ sharer: String, _ standing: Standing) -> Bool {
    state.withLock { state in
      let own = state.bySharer[sharer, default: 0]
      guard state.count < room(standing), own < share(standing, others: state.count - own) else { return false }
      state.count += 1
      state.bySharer[sharer] = own + 1
      return true
    }
  }

  func leave(_ sharer: String) {
    state.withLock { state in
      state.count -= 1
      let own = state.bySharer[sharer, default: 1] - 1
      state.bySharer[sharer] = own > 0 ? own : nil
    }
  }

  private func room(_ standing: Standing) -> Int {
    switch standing {
    case .ordinary, .proxy: limits.connectionsMax
    case .operator: limits.connectionsMax + limits.connectionsForOperators
    case .admin: limits.connectionsMax + limits.connectionsForOperators + limits.connectionsForAdmins
    case .root:
      limits.connectionsMax + limits.connectionsForOperators + limits.connectionsForAdmins + limits.connectionsForRoot
    }
  }

  /// The most connections of one sharer, while others hold so many. Where room is reserved, it counts with the rest.
  private func share(_ standing: Standing, others: Int) -> Int {
    switch standing {
    case .root, .proxy: return .max
    case .ordinary, .operator, .admin:
      let left = max(0, room(standing) - others)
      let part = left * limits.connectionsPerSharerMax / max(1, limits.connectionsMax)
      return min(limits.connectionsPerSharerMax, max(1, part))
    }
  }

  /// Whether one more refused caller may linger; it counts until `leaveRefused`.
  func enterRefused() -> Bool {
    state.withLock { state in
      guard state.refused < limits.refusalsMax else { return false }
      state.refused += 1
      return true
    }
  }

  func leaveRefused() {
    state.withLock { $0.refused -= 1 }
  }

  /// Does the work of a connection in a task of its own.
  func serve(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.lastTask += 1
      let number = state.lastTask
      let task = Task {
        await work()
        ended(number)
      }
      state.tasks[number] = task
      if state.isCancelled { task.cancel() }
    }
  }

  private func ended(_ number: Int) {
    state.withLock { $0.tasks[number] = nil }
  }

  /// Waits until nothing is served any more; new connections must not come.
  func end() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  /// Ends all of them, and their requests, at once.
  func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }
}
