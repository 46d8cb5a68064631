import NIOCore
import Synchronization

/// The open connections of one socket, and the limits on their number.
final class Connections: Sendable {
  private struct State {
    var byUser: [UInt32: Int] = [:]
    var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
    var count = 0
    var isCancelled = false
  }

  private let limits: ControlLimits
  private let state = Mutex(State())

  init(limits: ControlLimits) {
    self.limits = limits
  }

  /// Whether one more is within the limits; it counts until `leave`.
  func enter(_ user: UInt32) -> Bool {
    state.withLock { state in
      let own = state.byUser[user, default: 0]
      guard state.count < limits.connectionsMax, user == 0 || own < limits.connectionsPerUserMax else { return false }
      state.count += 1
      state.byUser[user] = own + 1
      return true
    }
  }

  func leave(_ user: UInt32, _ channel: any Channel) {
    state.withLock { state in
      state.count -= 1
      let own = state.byUser[user, default: 1] - 1
      state.byUser[user] = own > 0 ? own : nil
      state.tasks[ObjectIdentifier(channel)] = nil
    }
  }

  /// Keeps the task that serves a connection, while that is open.
  func serve(_ channel: any Channel, _ task: Task<Void, Never>) {
    let isLate = state.withLock { state in
      if channel.isActive { state.tasks[ObjectIdentifier(channel)] = task }
      return state.isCancelled
    }
    if isLate { task.cancel() }
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
