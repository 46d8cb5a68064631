import Engine
import Operations
import Scheduling
import ControlAPI
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

/// A database with a standing clock and the schedule parts of a daemon on it.
struct ScheduleFixture: Sendable {
  let database: SettledDatabase
  let owner: Connection
  let system: ScheduleSystem
  private let dispatcher: CommandDispatcher
  private let failures: Failures

  init(at instant: String = "2031-03-29T12:00:00Z", _ own: [BuiltInSchedule] = []) async throws {
    try await self.init(try await SettledDatabase.simulated(), at: instant, own)
  }

  init(_ database: SettledDatabase, at instant: String, _ own: [BuiltInSchedule]) async throws {
    self.database = database
    try await database.setClock(instant)
    owner = try await database.connect()
    let pool = database.pool()
    let failures = Failures()
    self.failures = failures
    system = Self.system(own, database, pool, node: "one") { observation in
      guard case .runFailed(let schedule, let instant, let error) = observation else { return }
      failures.list.withLock { $0.append("\(schedule) \(instant) \(error.text)") }
    }
    try await pool.withConnection { [system] in try await system.meet($0) }
    try await system.compareTimeZones()
    dispatcher = CommandDispatcher(system.commands, pool: pool, node: "one")
  }

  static func system(
    _ own: [BuiltInSchedule], _ database: SettledDatabase, _ pool: Pool, node: String,
    operators: String? = nil, observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> ScheduleSystem {
    let url = operators ?? OperatorRun.url(from: database.url(.daemon))
    let options = ConnectionOptions(url: url, applicationName: "schedule")
    return ScheduleSystem(own, in: database.context(pool, observe: observe), node: node, operators: options)
  }

  /// The observed runs that failed: schedule, instant and error.
  var observedFailures: [String] { failures.list.withLock { $0 } }

  private final class Failures: Sendable {
    let list = Mutex<[String]>([])
  }

  /// The answer of a command, or its refusal.
  @discardableResult
  func ask(_ command: String, _ values: [String: ParameterValue] = [:]) async throws -> Any {
    let command = try #require(system.commands.first { $0.name == command })
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .admin)
    let text = try await dispatcher.run(command, CommandCall(caller: caller, requestId: nil, values: values))
    return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  func list(_ command: String, _ values: [String: ParameterValue] = [:]) async throws -> [[String: Any]] {
    try #require(try await ask(command, values) as? [[String: Any]])
  }

  func refusal(_ command: String, _ values: [String: ParameterValue]) async -> CommandError? {
    await #expect(throws: CommandError.self) { try await ask(command, values) }
  }

  /// Sets the clock, plans, runs, and waits for the runs.
  func pass(to instant: String, _ system: ScheduleSystem? = nil) async throws {
    try await database.setClock(instant)
    try await work(system)
  }

  /// The work of this node, or of another one.
  func work(_ system: ScheduleSystem? = nil) async throws {
    let system = system ?? self.system
    var items = 0
    repeat {
      items = 0
      for work in system.works {
        items += try await work.runAllDue()
        await work.finish()
      }
    } while items > 0
  }

  /// `instant status reason` of a schedule's rows, oldest first.
  func rows(_ schedule: String) async throws -> [String] {
    try await owner.query(
      """
      SELECT concat_ws(' ', to_char(instant AT TIME ZONE 'UTC', 'MM-DD"T"HH24:MI:SS'), status, reason)
      FROM settled.occurrence WHERE schedule = \(schedule) ORDER BY instant
      """
    ).decode(String.self)
  }

  /// The audit's gaps and doubles.
  func audit() async throws -> (occurrences: Int, wrong: Int) {
    let found = try #require(try await ask("audit.schedule") as? [String: Any])
    let (gaps, doubles) = (found["gaps"] as? [Any], found["doubles"] as? [Any])
    return (found["occurrences"] as? Int ?? -1, (gaps?.count ?? 1000) + (doubles?.count ?? 1000))
  }
}
