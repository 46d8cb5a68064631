import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Achievements

@Suite("A cascade", .timeLimit(.minutes(5))) struct CascadeTests {
  /// Ten achievements of one report, whose rewards unlock a chain of five more.
  private static func world(_ users: ClosedRange<Int64>) async throws -> Club {
    let club = try await Club()
    for user in users { try await club.join(user) }
    for number in 0..<10 {
      try await club.define(Definition("read \(number)", "books_read", Int64(number + 1), reward: 10))
    }
    for number in 0..<5 {
      try await club.define(Definition("rich \(number)", "points", Int64(100 + 7 * number), reward: 7))
    }
    try await club.runEvaluation()
    try await club.runChecks()
    return club
  }

  @Test func `a cascade of rewards is completed in one check: each reward once, one event each`() async throws {
    let club = try await Self.world(1...2)
    try await club.report(1, "books_read", 10)
    #expect(try await club.list(1).unlockedCount == 15)
    #expect(try await club.events() == [])
    #expect(try await club.runChecks() == 1)
    #expect(try await club.events().count == 15)
    let points: Achievement = try await club.read("SELECT achievements.by_slug('rich 4', 1)::text")
    #expect(points.progress == Progress(current: 135, required: 128, percentage: 100))
    #expect(try await club.check(1).newlyUnlocked == [])
    #expect(try await club.runChecks() == 0)
    #expect(try await club.contradictions() == [])
    #expect(try await club.list(2).unlockedCount == 0)
  }

  @Test func `the check reports every reward that follows from a report in one answer`() async throws {
    let club = try await Self.world(1...1)
    for _ in 0..<10 { try await club.report(1, "books_read", 1) }
    let checked = try await club.check(1)
    #expect(checked.newlyUnlocked.count == 15)
    #expect(checked.newlyUnlocked == checked.achievements)
    #expect(try await club.events().count == 15)
    #expect(try await club.runChecks() == 0)
    #expect(try await club.check(1).newlyUnlocked == [])
  }

  @Test func `two runners share a cascade of many people, and nobody is paid twice`() async throws {
    let club = try await Self.world(1...60)
    let apps = club.database.pool(.app, size: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in Int64(1)...60 {
        group.addTask {
          try await apps.withConnection { app in
            for part in 0..<5 {
              try await app.execute(
                "SELECT achievements.report_metric(\(user), 'books_read', 2, 'add', \("part \(part)"))")
            }
          }
        }
      }
      for _ in 0..<2 { group.addTask { for _ in 0..<20 { try await club.runChecks() } } }
      for user in Int64(1)...10 {
        group.addTask {
          _ = try await apps.withConnection { try await $0.query("SELECT achievements.check(\(user))") }
        }
      }
      try await group.waitForAll()
    }
    await apps.close()
    try await club.runChecks()
    #expect(try await club.events().count == 900)
    #expect(try await club.contradictions() == [])
    let sums = try await club.session.query(
      "SELECT DISTINCT concat_ws(' ', earned_points, unlock_count) FROM achievements.person"
    ).decode(String.self)
    #expect(sums == ["135 15"])
  }

  @Test(arguments: ["57P01", "XX000", "40P01"])
  func `a cascade is complete or has not happened, at whichever statement it fails`(sqlState: String) async throws {
    let club = try await Self.world(1...40)
    var user: Int64 = 1
    while true {
      let failAt = Int(user)
      try await club.report(user, "books_read", 10)
      let fault = StatementFault(at: failAt, sqlState: sqlState)
      let options = fault.options(club.database.options(.daemon))
      let faulty = Pool(options: options, size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
      _ = await JobRunner(AchievementCheckJob(), in: club.database.context(faulty)).runDue(
        until: StopFlag(), due: .zero)
      await faulty.close()
      try await club.session.waitUntilGone("tests daemon")
      let kept = try await club.session.query("SELECT unlock_count FROM achievements.person WHERE id = \(user)").one(
        Int32.self)
      #expect([0, 15].contains(kept), "statement \(failAt)")
      #expect(try await club.contradictions() == [], "statement \(failAt)")
      try await club.session.execute("DELETE FROM settled.failure")
      try await club.runChecks()
      #expect(try await club.events().count == 15 * Int(user), "after statement \(failAt)")
      if !fault.wasMet { break }
      user += 1
    }
    print("achievement check, fault loop (\(sqlState)): \(user - 1) statements")
    #expect(user > 5)
  }

  @Test func `a cascade pays each reward once, however often its daemons are killed`() async throws {
    var random = SeededGenerator()
    let users: Int64 = 40
    let club = try await Self.world(1...users)
    var daemons = try (0..<2).map { try SettledProcess.daemon(club.database, node: "club-\($0)") }
    for round in Int64(0)..<8 {
      for user in 1...users { try await club.report(user, "books_read", 1 + round % 2) }
      let wanted = Definition("round \(round)", "books_read", 1 + round, reward: 3)
      try await club.define(wanted)
      let due = "SELECT count(*) FROM achievements.person WHERE due_at IS NOT NULL" as Statement
      let most = Int64.random(in: 1...users, using: &random)
      try await untilTrue("\(most) people due at most, \(random)") {
        try await club.session.query(due).one(Int64.self) <= most
      }
      let victim = Int.random(in: 0..<2, using: &random)
      daemons[victim].killHard()
      #expect(try await daemons[victim].exit() == .signal(SIGKILL))
      daemons[victim] = try SettledProcess.daemon(club.database, node: "club-\(victim)")
    }
    let left = """
      SELECT (SELECT count(*) FROM achievements.person WHERE due_at IS NOT NULL)
        + (SELECT count(*) FROM achievements.evaluation)
      """ as Statement
    try await untilTrue("the last check, \(random)", within: .seconds(120)) {
      try await club.session.query(left).one(Int64.self) == 0
    }
    // The last one may have begun a moment ago: before it is ready a signal ends it as any process.
    for daemon in daemons { try await daemon.log("ready") }
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons { #expect(try await daemon.exit() == .code(0)) }
    #expect(try await club.contradictions() == [], "\(random)")
    let counts = try await club.session.query("SELECT DISTINCT unlock_count FROM achievements.person").decode(
      Int32.self)
    #expect(counts == [23], "\(random)")
    #expect(try await club.events().count == 23 * Int(users), "\(random)")
  }
}
