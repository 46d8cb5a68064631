package import Postgres
import Synchronization

/// App back ends at work: calls of the contract, one after the other, until told to stop.
///
/// Refusals of the contract (SD...) are part of life; any other error is kept for the test to find.
package final class ClientLoad: Sendable {
  private struct State {
    var isStopped = false
    var acknowledged: [String: Int64] = [:]
    var points: Set<String> = []
    var reports: Set<String> = []
    var calls = 0
    var allowed = 0
    var repeated = 0
    var errors: [String] = []
    var races: [Int64] = []
  }

  private let state = Mutex(State())
  private let pool: Pool
  private let script: LoadScript
  private let repeats: Bool
  private let clients: Mutex<[Task<Void, Never>]> = Mutex([])

  /// - Parameters:
  ///   - repeats: whether a call is repeated after an error of class 08, 40, 53, 55 or 57, as apps are asked to do
  ///     (Daemon.docc/CallingFromApps.md). Otherwise such an error is kept, too.
  package init(
    _ database: SettledDatabase, clients count: Int, random: SeededGenerator, repeats: Bool = false,
    script: @escaping LoadScript
  ) {
    pool = database.pool(.app, size: count)
    (self.script, self.repeats) = (script, repeats)
    begin(count, random)
  }

  private func begin(_ count: Int, _ random: SeededGenerator) {
    var random = random
    clients.withLock { clients in
      for number in 0..<count {
        let seed = random.next()
        clients.append(Task { await self.run(number, SeededGenerator(seed: seed)) })
      }
    }
  }

  /// The same through a pool of one's own, on a database that is not a test's; its calls are repeated.
  package init(pool: Pool, clients count: Int, random: SeededGenerator, script: @escaping LoadScript) {
    (self.pool, self.script, repeats) = (pool, script, true)
    begin(count, random)
  }

  /// Deposits, entries, imports and new races.
  ///
  /// - Parameter athletes: who deposits, enters and imports; they are senior men, and connected.
  package convenience init(
    _ database: SettledDatabase, athletes: [Int64], clients count: Int, random: SeededGenerator, repeats: Bool = false
  ) {
    self.init(database, clients: count, random: random, repeats: repeats, script: RacingCalls.script(athletes))
  }

  /// Lets the clients make so many more calls: the work that they leave does not grow with the time that a test takes.
  package func allow(_ more: Int) {
    state.withLock { $0.allowed += more }
  }

  package var calls: Int { state.withLock(\.calls) }
  /// How many calls there are when all that are allowed have begun.
  package var goal: Int { state.withLock(\.allowed) }
  /// How often a call was made again.
  package var repeated: Int { state.withLock(\.repeated) }
  package var errors: [String] { state.withLock(\.errors) }
  /// The deposits that were acknowledged: key and pence.
  package var acknowledged: [String: Int64] { state.withLock(\.acknowledged) }
  /// The keys of the points and of the reports that were acknowledged.
  package var points: Set<String> { state.withLock(\.points) }
  package var reports: Set<String> { state.withLock(\.reports) }

  package func stop() async {
    state.withLock { $0.isStopped = true }
    for client in clients.withLock({ $0 }) { await client.value }
    await pool.close()
  }

  private func run(_ client: Int, _ seeded: SeededGenerator) async {
    var random = seeded
    var turn = 0
    while !state.withLock(\.isStopped) {
      guard state.withLock({ $0.calls < $0.allowed }) else {
        try? await pauseBetweenLooks()
        continue
      }
      turn += 1
      state.withLock { $0.calls += 1 }
      let turn = LoadTurn(client: client, turn: turn, races: state.withLock(\.races))
      await make(script(turn, &random))
    }
  }

  private func make(_ call: LoadCall) async {
    repeat {
      do {
        let result = try await pool.withConnection { try await $0.query(call.statement).one(Int64.self) }
        return keep(call.promise, result)
      } catch let error as PostgresError where error.sqlState?.hasPrefix("SD") == true {
        return
      } catch let error as PostgresError where repeats && error.asksForRepetition {
        state.withLock { $0.repeated += 1 }
        try? await pauseBetweenLooks()
      } catch {
        return state.withLock { $0.errors.append("\(call.name): \(String(reflecting: error))") }
      }
    } while !state.withLock(\.isStopped)
  }

  private func keep(_ promise: LoadCall.Promise, _ result: Int64) {
    state.withLock { state in
      switch promise {
      case .deposit(let key, let pence): state.acknowledged[key] = pence
      case .race: state.races.append(result)
      case .points(let uuid): state.points.insert(uuid)
      case .report(let key): state.reports.insert(key)
      case .nothing: break
      }
    }
  }
}
