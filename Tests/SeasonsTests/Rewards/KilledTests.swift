import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The reward-check", .timeLimit(.minutes(5))) struct KilledTests {
  @Test func `two killed reward-checks record each reward once, with its date and one event`()
    async throws
  {
    var random = SeededGenerator()
    let team = try await Team()
    for number in 1...5 { _ = try await team.runner("Runner \(number)") }
    for order in 1...40 { try await team.reward(order * 100, order: order) }
    var daemons = try (0..<2).map { try SettledProcess.daemon(team.database, node: "killed-\($0)") }
    var dates: [String] = []
    var sum = 0
    for round in 0..<8 {
      for step in 0..<50 {
        let at = Timestamp(microseconds: (1_938_902_400 + Int64(round * 3600 + step)) * 1_000_000).description
        try await team.clock(at)
        sum += 10
        if sum % 100 == 0 { dates.append(at) }
        try await team.earn(Int64.random(in: 1...5, using: &random), "LIFTING")
      }
      let victim = Int.random(in: 0..<2, using: &random)
      daemons[victim].killHard()
      #expect(try await daemons[victim].exit() == .signal(SIGKILL))
      daemons[victim] = try SettledProcess.daemon(team.database, node: "killed-\(victim)")
    }
    try await untilTrue("all rewards, \(random)", within: .seconds(120)) {
      try await team.session.query("SELECT count(*) FROM seasons.reward WHERE achieved_date IS NULL").one(Int64.self)
        == 0
    }
    for daemon in daemons { try await daemon.log("ready") }
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons { #expect(try await daemon.exit() == .code(0)) }
    #expect(try await team.progress().rewards.map { $0.achievedDate ?? "" } == dates, "\(random)")
    let told = try await team.session.query(
      """
      SELECT key || ' ' || (payload->>'achievedDate') FROM (
        SELECT key, payload FROM settled.event_pending WHERE topic = 'reward.achieved'
        UNION ALL SELECT key, payload FROM settled.event WHERE topic = 'reward.achieved') AS e ORDER BY key::bigint
      """
    ).decode(String.self)
    #expect(told == dates.enumerated().map { "\($0.offset + 1) \($0.element)" }, "\(random)")
    #expect(try await team.differences() == "[]", "\(random)")
  }
}
