import Postgres
import Synchronization

/// App back ends at work: deposits, entries, imports and new races through the contract, until told to stop.
///
/// Refusals of the contract (SD...) are part of life; any other error is kept for the test to find.
package final class ClientLoad: Sendable {
  private struct State {
    var isStopped = false
    var acknowledged: [String: Int64] = [:]
    var calls = 0
    var allowed = 0
    var errors: [String] = []
    var races: [Int64] = []
  }

  private let state = Mutex(State())
  private let pool: Pool
  private let athletes: [Int64]
  private let clients: Mutex<[Task<Void, Never>]> = Mutex([])

  /// - Parameter athletes: who deposits, enters and imports; they are senior men, and connected.
  package init(_ database: SettledDatabase, athletes: [Int64], clients count: Int, random: SeededGenerator) {
    pool = database.pool(.app, size: count)
    self.athletes = athletes
    var random = random
    clients.withLock { clients in
      for number in 0..<count {
        let seed = random.next()
        clients.append(Task { await self.run(number, SeededGenerator(seed: seed)) })
      }
    }
  }

  /// Lets the clients make so many more calls: the work that they leave does not grow with the time that a test takes.
  package func allow(_ more: Int) {
    state.withLock { $0.allowed += more }
  }

  package var calls: Int { state.withLock(\.calls) }
  package var errors: [String] { state.withLock(\.errors) }
  /// The deposits that were acknowledged: key and pence.
  package var acknowledged: [String: Int64] { state.withLock(\.acknowledged) }

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
      let action = Action(client: client, turn: turn, athletes: athletes, races: state.withLock(\.races), &random)
      do {
        let result = try await pool.withConnection { try await $0.query(action.statement).one(Int64.self) }
        state.withLock { state in
          switch action.kind {
          case .deposit(let key, let pence): state.acknowledged[key] = pence
          case .race: state.races.append(result)
          case .entry, .activity: break
          }
        }
      } catch let error as PostgresError where error.sqlState?.hasPrefix("SD") == true {
      } catch {
        state.withLock { $0.errors.append("\(action.kind): \(error)") }
      }
    }
  }

  /// One call of the contract; each returns one number.
  private struct Action {
    enum Kind {
      case deposit(key: String, pence: Int64)
      case entry, activity, race
    }

    let kind: Kind
    let statement: Statement

    init(client: Int, turn: Int, athletes: [Int64], races: [Int64], _ random: inout SeededGenerator) {
      let athlete = athletes.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<4:
        kind = .race
        // Its start is a moment that no other race has; it ends in one to four seconds.
        statement = """
          SELECT racing.create_race('top_speed', 'daily', 'senior_men', settled.clock() - interval '1 hour',
            settled.clock() + \(Int64.random(in: 1000...4000, using: &random)) * interval '1 millisecond')
          """
      case 4..<40:
        let key = "load-\(client)-\(turn)"
        let pence = Int64.random(in: 1...500, using: &random)
        kind = .deposit(key: key, pence: pence)
        statement = "SELECT (racing.deposit(\(athlete), \(pence), \(key))->>'amountPence')::bigint"
      case 40..<75:
        kind = .entry
        let race = races.suffix(8).randomElement(using: &random) ?? 1
        statement = "SELECT racing.enter_race(\(athlete), \(race))"
      default:
        kind = .activity
        let speed = Int.random(in: 3000...6000, using: &random)
        let id = 5_000_000_000 + client * 10_000_000 + turn
        statement = """
          SELECT racing.import_activity(\(athlete), jsonb_build_object('stravaId', \(Int64(id)), 'name', 'Load',
            'activityType', 'Kayaking', 'startDate', to_char(settled.clock() AT TIME ZONE 'UTC' - interval '10 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'elapsedTime', 60, 'movingTime', 60,
            'distance', 200, 'maxSpeed', \(Int64(speed)) / 1000.0, 'polyline', 'mock',
            'startLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb,
            'endLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb))
          """
      }
    }
  }
}
