import Engine
import HTTPServing
@preconcurrency import Dispatch
import Synchronization

/// The names of the machine's users, for answers to operators.
///
/// A hanging user directory costs an answer its names and one second, and blocks nothing else.
final class UserNames: Sendable {
  private struct State {
    var known: [UInt32: (name: String?, at: Duration)] = [:]
    var lookups = 0
  }

  private static let answerAtMost: Duration = .seconds(1)
  /// A name is looked up again after this.
  private static let age: Duration = .seconds(60)
  /// More are dropped, and looked up again when needed.
  private static let namesMax = 10_000
  /// The most lookups that wait for the directory.
  private static let lookupsMax = 4

  private let time: Timekeeper
  private let lookUp: @Sendable (UInt32) -> String?
  private let queue = DispatchQueue(label: "settled.users")
  private let state = Mutex(State())

  init(time: Timekeeper, lookUp: @escaping @Sendable (UInt32) -> String? = SystemUser.name) {
    self.time = time
    self.lookUp = lookUp
  }

  func names(of uids: Set<UInt32>) async -> [UInt32: String] {
    let missing = missing(of: uids)
    if !missing.isEmpty, begins() { await read(missing) }
    return state.withLock { state in uids.reduce(into: [:]) { $0[$1] = state.known[$1]?.name } }
  }

  private func missing(of uids: Set<UInt32>) -> [UInt32] {
    let now = time.now()
    return state.withLock { state in
      uids.filter { uid in state.known[uid].map { now - $0.at >= Self.age } ?? true }.sorted()
    }
  }

  private func begins() -> Bool {
    state.withLock { state in
      guard state.lookups < Self.lookupsMax else { return false }
      state.lookups += 1
      return true
    }
  }

  /// Returns when all are looked up, or after a second.
  private func read(_ uids: [UInt32]) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    queue.async { [self] in
      for uid in uids {
        let name = lookUp(uid)
        let now = time.now()
        state.withLock { state in
          if state.known.count >= Self.namesMax { state.known = [:] }
          state.known[uid] = (name, now)
        }
      }
      state.withLock { $0.lookups -= 1 }
      end.finish()
    }
    let limit = Task {
      try await time.sleep(Self.answerAtMost)
      end.finish()
    }
    for await _ in ends {}
    limit.cancel()
  }
}
