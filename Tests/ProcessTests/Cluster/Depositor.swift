import Postgres
import Synchronization
import TestSupport

/// An app that deposits 7 pence again and again, each time under a new key, by one way into the cluster.
///
/// It never repeats a deposit: so what it was told is all that it knows.
final class Depositor: Sendable {
  private struct State {
    var isStopped = false
    var acknowledged: [(key: String, at: ContinuousClock.Instant)] = []
    var unanswered: [String] = []
    var errors: [String] = []
  }

  private let options: ConnectionOptions
  private let athlete: Int64
  private let prefix: String
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ url: String, athlete: Int64, prefix: String) {
    options = ConnectionOptions(url: url, applicationName: "depositor")
    (self.athlete, self.prefix) = (athlete, prefix)
    task.withLock { $0 = Task { await self.run() } }
  }

  /// The keys of deposits that were acknowledged, and of those that the server may or may not have carried out.
  var acknowledged: [String] { state.withLock { $0.acknowledged.map(\.key) } }
  var unanswered: [String] { state.withLock(\.unanswered) }
  var errors: [String] { state.withLock(\.errors) }

  /// When the first acknowledgement came after an instant.
  func first(after instant: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    state.withLock { $0.acknowledged.first { $0.at > instant }?.at }
  }

  /// The longest time between two acknowledgements since an instant.
  func longestPause(since start: ContinuousClock.Instant) -> Duration {
    let moments = state.withLock { $0.acknowledged.map(\.at).filter { $0 > start } }
    return zip([start] + moments, moments).map { $0.duration(to: $1) }.max() ?? .zero
  }

  func stop() async {
    state.withLock { $0.isStopped = true }
    await task.withLock { $0 }?.value
  }

  private func run() async {
    var connection: Connection?
    var turn = 0
    while !state.withLock(\.isStopped) {
      turn += 1
      let key = "\(prefix)-\(turn)"
      do {
        let open = if let connection { connection } else { try await Connection.connect(options) }
        connection = open
        try await deposit(key, open)
        try? await pauseBetweenLooks()
      } catch {
        note(error, key, wasSent: connection != nil)
        await connection?.close()
        connection = nil
        for _ in 0..<10 { try? await pauseBetweenLooks() }
      }
    }
    await connection?.close()
  }

  private func deposit(_ key: String, _ connection: Connection) async throws {
    _ = try await connection.query("SELECT racing.deposit(\(athlete), 7, \(key))->>'id'").one(String.self)
    state.withLock { $0.acknowledged.append((key, .now)) }
  }

  /// A server that has become a standby refuses with SD400; every other refusal is for the test to find.
  private func note(_ error: any Error, _ key: String, wasSent: Bool) {
    let known = error as? PostgresError
    state.withLock { state in
      if wasSent { state.unanswered.append(key) }
      guard known?.asksForRepetition != true, known?.sqlState != "SD400" else { return }
      state.errors.append("\(key): \(String(reflecting: error))")
    }
  }
}
