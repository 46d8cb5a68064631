import Engine
import Foundation
import Postgres
import TestSupport
import Testing

/// Every role may take any advisory lock: nothing of schedules and commands may wait for one.
@Suite("A stranger's locks") struct StrangerTests {
  private static func values(_ name: String) -> [String: CommandCall.Value] {
    ["name": .text(name), "cron": .text("0 5 * * *"), "call": .text("pg_catalog.now")]
  }

  private func dispatcher(_ town: ScheduleTown) -> CommandDispatcher {
    CommandDispatcher(town.house.commands, pool: town.database.pool(), node: "one")
  }

  private func add(_ name: String, request: String, _ town: ScheduleTown) async throws -> String {
    let command = try #require(town.house.commands.first { $0.name == "schedule.add" })
    let caller = Caller(uid: 7, gid: 7, pid: 7, level: .admin)
    let call = CommandCall(caller: caller, requestId: request, values: Self.values(name))
    return try await dispatcher(town).run(command, call)
  }

  @Test("on names that can be guessed hold up no command and no start")
  func guessed() async throws {
    let town = try await ScheduleTown()
    let stranger = try await town.database.connect()
    for key in ["schedule nightly", "schedule time-zone-check", "request 7 a", "settled.zone_future"] {
      try await stranger.execute("SELECT pg_advisory_lock(hashtextextended(\(key), 0))")
    }
    #expect(try await add("nightly", request: "a", town).contains("nightly"))
    try await town.database.pool().withConnection { try await town.house.meet($0) }
    await stranger.close()
  }

  @Test("are not needed: of two that add one schedule at once the second is refused")
  func addedAtOnce() async throws {
    let town = try await ScheduleTown()
    async let first = town.outcome("schedule.add", Self.values("nightly"))
    async let second = town.outcome("schedule.add", Self.values("nightly"))
    #expect(await [first, second].sorted() == ["done", "name"])
    let periods: Statement = "SELECT count(*) FROM settled.schedule_period WHERE schedule = 'nightly'"
    #expect(try await town.owner.query(periods).one(Int64.self) == 1)
  }

  @Test("are not needed: a request that is made twice at once has one effect and one answer")
  func askedAtOnce() async throws {
    let town = try await ScheduleTown()
    async let first = add("nightly", request: "b", town)
    async let second = add("nightly", request: "b", town)
    let answers = try await [first, second].map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
    }
    #expect(answers[0] != nil && answers[0] == answers[1])
    #expect(try await town.owner.query("SELECT count(*) FROM settled.audit").one(Int64.self) == 1)
  }
}

extension ScheduleTown {
  /// How a command ended: `done`, or the rule that refused it.
  fileprivate func outcome(_ command: String, _ values: [String: CommandCall.Value]) async -> String {
    do {
      try await ask(command, values)
      return "done"
    } catch {
      return (error as? CommandError)?.rule ?? "\(error)"
    }
  }
}
