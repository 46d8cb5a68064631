import Foundation
import Postgres
import TestSupport
import Testing

/// A simulated week: 30 connections for a day here, 10,000 for seven in `deploy/soak tokens`.
@Suite("A simulated week of tokens", .timeLimit(.minutes(240))) struct WeekTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isSoak = environment["SETTLED_SOAK"] != nil
  private static let connections =
    environment["SETTLED_TEST_CONNECTIONS"].flatMap { Int($0) } ?? (isSoak ? 10_000 : 30)
  private static let days = environment["SETTLED_TEST_DAYS"].flatMap { Int($0) } ?? (isSoak ? 7 : 1)

  @Test func `a simulated week loses only tokens cut off by the wire or a kill, and replaces them soon`() async throws {
    let random = SeededGenerator()
    let begin = ContinuousClock.now
    let world = try await WeekWorld()
    var campaign = try await Campaign(world, connections: Self.connections, days: Self.days, random)
    try await campaign.run()
    try await campaign.end()

    let report = try await world.provider.report()
    let model = campaign.model
    let (lost, open) = try await world.ask(
      "SELECT count(*) FILTER (WHERE is_lost), count(*) FILTER (WHERE NOT is_lost) FROM strava.lost_reply"
    ).one(Int64.self, Int64.self)
    #expect(Int(lost) == model.lostTimes && open == 0, "\(random): \(lost) and \(open), not \(model.lostTimes)")
    #expect(try await world.troubles() == [], "\(random)")
    #expect(world.livingSpools.isEmpty, "\(random)")
    #expect(report.rotations >= Self.connections * (Self.days * 4 - 1), "\(random)")
    #expect(report.deniedClients > 0 && report.limited > 0, "the provider had no trouble: \(random)")
    #expect(campaign.blows > 0 && model.lostTimes > 0, "nothing went wrong: \(random)")
    print(
      """
      week: \(Self.connections) connections, \(Self.days) days, \(report.rotations) refreshes, \(campaign.blows) blows, \
      \(report.faults.values.reduce(0, +)) faults, \(model.lostTimes) lost and \(model.revivedTimes) revived, at most \
      \(model.longestWithout / 60) minutes without a token, \(report.limited) and \(report.deniedClients) calls refused \
      with 429 and 401, \(report.callsInSpentWindow) in a window that was just told to be spent, \(begin.duration(to: .now)); \(random)
      """)
    for exit in try await world.stop() { #expect(exit == .code(0)) }
  }
}
