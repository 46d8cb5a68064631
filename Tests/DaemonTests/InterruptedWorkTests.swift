import ControlAPI
import Operations
import Engine
import Foundation
import Postgres
import DaemonSupport
import TestSupport
import Testing

/// Failures that are neither the connection's nor an item's.
@Suite("A daemon whose installation lacks something", .timeLimit(.minutes(3)))
struct InterruptedWorkTests {
  private struct Status: Decodable {
    struct Job: Decodable {
      let name: String
      let overdue: Int
      let failing: Int
    }

    let jobs: [Job]
    let problems: [String]
  }

  private func status(_ node: TestNode) async throws -> Status {
    try JSONDecoder().decode(Status.self, from: Data(try await node.ask("status").utf8))
  }

  private func untilProblem(_ node: TestNode, _ wanted: @escaping @Sendable (String) -> Bool) async throws {
    try await untilTrue("the problem") { try await status(node).problems.contains(where: wanted) }
  }

  private func interruptions(_ node: TestNode, of job: String, until end: @Sendable (Observation) -> Bool) async -> Int
  {
    var count = 0
    for await observation in node.all {
      if case .interrupted(job, _) = observation { count += 1 }
      if end(observation) { return count }
    }
    return count
  }

  @Test(arguments: ["UPDATE ON racing.race", "SELECT ON racing.race", "SELECT ON racing.entry"])
  func `a missing part of the installation is reported once, and its work resumes when it is there`(right: String)
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute("REVOKE \(raw: right) FROM settled_daemon")
    let races = try await Herd(races: 3, entries: 4).write(owner)
    let node = TestNode(database)
    try await untilProblem(node) { $0.contains("race-settlement is interrupted") && $0.contains("42501") }
    try await owner.execute("SELECT settled.emit('test', 'k', '{}', clock_timestamp())")
    try await untilTrue("an event's position") {
      try await owner.query("SELECT EXISTS (SELECT FROM settled.event WHERE topic = 'test')").one(Bool.self)
    }
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    try await owner.execute("GRANT \(raw: right) TO settled_daemon")
    try await owner.waitUntilSettled(races)
    try await untilTrue("the end of the problem") {
      // A tick of a built-in schedule that failed meanwhile stays a problem until the next one succeeds.
      try await status(node).problems.allSatisfy { !$0.contains("is interrupted") }
    }
    let count = await interruptions(node, of: "race-settlement") {
      if case .resumed("race-settlement") = $0 { true } else { false }
    }
    #expect(count == 1)
    try await Books.check(owner)
    try await node.stop()
  }

  @Test func `a schedule that cannot be planned is listed with the cause, and the others are planned`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let node = TestNode(database)
    try await node.untilAsleep()
    for name in ["broken", "sound"] {
      _ = try await node.ask(
        "schedule.add",
        [
          "name": .text(name), "cron": .text("* * * * *"), "zone": .text("UTC"), "call": .text("pg_catalog.now"),
          "missed": .text("skip"),
        ])
    }
    try await owner.script(
      """
      SET session_replication_role = replica;
      UPDATE settled.schedule SET zone = 'Mars/Base' WHERE name = 'broken';
      UPDATE settled.schedule SET cursor_at = cursor_at - interval '5 minutes', next_tick_at = cursor_at - interval '4 minutes'
        WHERE name IN ('broken', 'sound');
      SELECT pg_notify('settled', '');
      """)
    try await untilTrue("rows of the sound one") {
      try await owner.query("SELECT EXISTS (SELECT FROM settled.occurrence WHERE schedule = 'sound')").one(Bool.self)
    }
    try await untilProblem(node) { $0.contains("broken cannot be planned") && $0.contains("Mars/Base") }
    let failures = try await owner.query("SELECT job || ' ' || key FROM settled.failure").decode(String.self)
    #expect(failures == ["schedule-planning broken"])
    try await owner.script("UPDATE settled.schedule SET zone = 'UTC' WHERE name = 'broken'")
    try await untilTrue("rows of the mended one") {
      try await owner.query(
        "SELECT EXISTS (SELECT FROM settled.occurrence WHERE schedule = 'broken')"
      ).one(Bool.self)
    }
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    try await node.stop()
  }

  @Test func `due items of a paused job are counted`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let node = TestNode(database)
    try await node.untilAsleep()
    _ = try await node.ask("job.pause", ["name": .text("race-settlement")])
    _ = try await Herd(races: 7, entries: 4).write(owner)
    try await untilTrue("seven overdue races") {
      try await status(node).jobs.first { $0.name == "race-settlement" }?.overdue == 7
    }
    _ = try await node.ask("job.resume", ["name": .text("race-settlement")])
    try await untilTrue("none overdue") {
      try await status(node).jobs.first { $0.name == "race-settlement" }?.overdue == 0
    }
    try await node.stop()
  }
}
