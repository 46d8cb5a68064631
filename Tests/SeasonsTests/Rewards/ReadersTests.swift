import Engine
import Postgres
import DaemonSupport
import TestSupport
import Testing

/// Apps that earn, change rosters and change thresholds at once, in transactions that commit in any order.
@Suite("Readers of rewards", .timeLimit(.minutes(3))) struct ReadersTests {
  private struct Writer: Sendable {
    let app: Connection
    var random: SeededGenerator

    /// Some calls in one transaction, which may be taken back.
    mutating func write() async throws {
      let calls = (0..<Int.random(in: 1...3, using: &random)).map { _ in call() }
      let isKept = Int.random(in: 0..<8, using: &random) > 0
      do {
        try await app.transaction(commit: isKept) { transaction in
          for call in calls { _ = try await transaction.query(call) }
        }
      } catch let error as PostgresError where error.sqlState == "40P01" {
        // Two transactions that locked the same runners in other orders: an app sends it again.
      }
    }

    private mutating func call() -> Statement {
      let runner = Int64.random(in: 1...8, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...1:
        return "SELECT seasons.set_runner_active(\(runner), \(Bool.random(using: &random)))"
      case 2:
        let reward = Int64.random(in: 1...6, using: &random)
        let threshold = Int64.random(in: 50...2500, using: &random)
        return "SELECT seasons.update_reward(\(reward), jsonb_build_object('pointThreshold', \(threshold)))::text"
      default:
        return Team.earn(runner, "LIFTING", "activity \(Int.random(in: 0..<100_000, using: &random))")
      }
    }
  }

  @Test(arguments: [true, false])
  func `readers never see a reached reward as not reached`(isRunning: Bool) async throws {
    let random = SeededGenerator()
    let team = try await Team()
    for number in 1...8 { _ = try await team.runner("Runner \(number)") }
    for order in 1...6 { try await team.reward(order * 400, order: order) }
    let node = isRunning ? TestNode(team.database) : nil
    let stopFlag = StopFlag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let reader = try await team.database.connect(.app)
          var reached: Set<Int64> = []
          while !stopFlag.isRequested {
            let shown: SeasonalProgressResponse = try await reader.document(
              "SELECT seasons.progress('xc', '2031')::text")
            let now = Set(shown.rewards.filter(\.isAchieved).map(\.id))
            #expect(reached.isSubset(of: now), "\(random)")
            reached = now
          }
          await reader.close()
        }
      }
      group.addTask {
        defer { stopFlag.request() }
        try await withThrowingTaskGroup(of: Void.self) { writers in
          for number in 0..<6 {
            writers.addTask {
              let seed = SeededGenerator(seed: random.seed &+ UInt64(number))
              // As the owner, who may have deadlocks looked for at once.
              let app = try await team.database.connect()
              try await app.execute("SET deadlock_timeout = '10ms'")
              var writer = Writer(app: app, random: seed)
              for _ in 0..<40 { try await writer.write() }
              await app.close()
            }
          }
          try await writers.waitForAll()
        }
      }
      try await group.waitForAll()
    }
    let reached = try await team.progress().rewards.filter(\.isAchieved).map(\.id).sorted()
    try await node?.stop()
    try await team.check()
    let told = try await team.session.query(
      """
      SELECT key::bigint FROM (SELECT key FROM settled.event_pending WHERE topic = 'reward.achieved'
        UNION ALL SELECT key FROM settled.event WHERE topic = 'reward.achieved') AS e ORDER BY 1
      """
    ).decode(Int64.self)
    #expect(told == reached, "\(random)")
    #expect(try await team.differences() == "[]", "\(random)")
  }
}
