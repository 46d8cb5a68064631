import Synchronization

/// The open connections of one socket, and the limits on their number.
final class Connections: Sendable {
  private struct State {
    var byUser: [UInt32: Int] = [:]
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
  /// A user has a share; callers from elsewhere, who have none, share all.
  func enter(_ user: UInt32?, _ standing: Standing) -> Bool {
    state.withLock { state in
      let own = user.map { state.byUser[$0, default: 0] } ?? 0
      guard state.count < room(standing), standing == .root || own < limits.connectionsPerUserMax else { return false }
      state.count += 1
      if let user { state.byUser[user] = own + 1 }
      return true
    }
  }

  func leave(_ user: UInt32?) {
    state.withLock { state in
      state.count -= 1
      guard let user else { return }
      let own = state.byUser[user, default: 1] - 1
      state.byUser[user] = own > 0 ? own : nil
    }
  }

  private func room(_ standing: Standing) -> Int {
    switch standing {
    case .ordinary: limits.connectionsMax
    case .admin: limits.connectionsMax + limits.connectionsForAdmins
    case .root: limits.connectionsMax + limits.connectionsForAdmins + limits.connectionsForRoot
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
