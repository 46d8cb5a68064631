@preconcurrency import Dispatch
import JWTKit
import Synchronization

/// The keys of an issuer that publishes them in a file, read again when the file changes.
///
/// The file is looked at when a token comes, at most once a second; a token whose key is not known lets it be looked at
/// sooner, ten times a second at most. Looks happen on a queue of their own, one at a time. While a file cannot be
/// used, the keys of its last good version stay in use.
final class KeyFile: Sendable {
  static let readInterval = Duration.seconds(1)
  static let unknownKeyInterval = Duration.milliseconds(100)

  private struct State {
    var keys: KeySet
    /// Grows with each version of the file that was taken over.
    var generation = 0
    var stamp: KeyDocument.Stamp?
    var readAt: Duration
    var reload: Task<Void, Never>?
    var problem: String?
  }

  private enum Step {
    case answer((any JWTAlgorithm)?, Int)
    case wait(Task<Void, Never>)
  }

  private let issuer: String
  private let path: String
  private let algorithm: SigningAlgorithm
  private let now: @Sendable () -> Duration
  private let observe: @Sendable (TokenObservation) -> Void
  /// The keys that were passed over when the file was read first, one line each.
  let warnings: [String]
  private let queue = DispatchQueue(label: "settled.gateway.keys")
  private let state: Mutex<State>

  /// Reads the file for the first time. Throws `KeyDocument.Unreadable` or `KeySet.Unusable`; a file without any key
  /// for the algorithm is an error here, and later is one that takes all keys away.
  ///
  /// `now` never goes back.
  init(
    _ path: String, of issuer: String, _ algorithm: SigningAlgorithm, now: @escaping @Sendable () -> Duration,
    observe: @escaping @Sendable (TokenObservation) -> Void
  ) async throws {
    self.path = path
    self.issuer = issuer
    self.algorithm = algorithm
    self.now = now
    self.observe = observe
    let document = try KeyDocument(path: path)
    let keys = try await KeySet(document: document.bytes, for: algorithm)
    guard keys.count > 0 else { throw KeySet.Unusable(description: "has no key for \(algorithm.rawValue)") }
    warnings = keys.passedOver.map { "\(path): \($0)" }
    state = Mutex(State(keys: keys, stamp: document.stamp, readAt: now()))
  }

  /// The key of this id as the file is now, and which version of the file that is.
  func key(for id: String?) async -> (key: (any JWTAlgorithm)?, generation: Int) {
    let step = state.withLock { state -> Step in
      let key = state.keys.key(for: id)
      if let reload = state.reload { return key == nil ? .wait(reload) : .answer(key, state.generation) }
      guard now() - state.readAt >= (key == nil ? Self.unknownKeyInterval : Self.readInterval) else {
        return .answer(key, state.generation)
      }
      let reload = Task { await self.reload() }
      state.reload = reload
      return .wait(reload)
    }
    switch step {
    case .answer(let key, let generation): return (key, generation)
    case .wait(let reload):
      await reload.value
      return state.withLock { ($0.keys.key(for: id), $0.generation) }
    }
  }

  private func reload() async {
    do {
      let known = state.withLock { $0.stamp }
      if let document = try await changed(since: known) {
        let keys = try await KeySet(document: document.bytes, for: algorithm)
        state.withLock { state in
          state.keys = keys
          state.generation += 1
          state.stamp = document.stamp
          state.problem = nil
        }
        observe(.keysRead(issuer: issuer, count: keys.count))
        for problem in keys.passedOver { observe(.keyPassedOver(issuer: issuer, problem: "\(path): \(problem)")) }
      }
    } catch {
      let problem = "\(path): \(error)"
      let isNew = state.withLock { state in
        defer { state.problem = problem }
        return state.problem != problem
      }
      if isNew { observe(.keysUnusable(issuer: issuer, problem: problem)) }
    }
    state.withLock { state in
      state.readAt = now()
      state.reload = nil
    }
  }

  /// Nil where the file is the one that was read.
  private func changed(since known: KeyDocument.Stamp?) async throws -> KeyDocument? {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [path] in
        guard known == nil || KeyDocument.Stamp(path: path) != known else { return continuation.resume(returning: nil) }
        do {
          continuation.resume(returning: try KeyDocument(path: path))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}
