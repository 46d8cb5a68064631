import Foundation
import Postgres
import TestSupport
import Testing

/// A minute here, and ten in `deploy/soak mixed`.
@Suite(
  "All jobs under mixed load, with a fault every few seconds",
  .enabled(if: Campaign.isAlone, "\(Campaign.why)"), .timeLimit(.minutes(40)))
struct MixedTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil
  private static let length: Duration = isSoak ? .seconds(600) : .seconds(60)

  @Test func `nothing due is lost or done twice under mixed load, the books are right, and nothing grows`() async throws
  {
    var random = SeededGenerator()
    let world = try await MixedWorld("\(random)")
    var apps = try await MixedApps(world, fetchingRaces: Self.isSoak ? 40 : 8, SeededGenerator(seed: random.next()))
    for node in MixedWorld.nodes { try world.start(node) }
    try world.startGateway()
    try await begin(world)

    let start = ContinuousClock.now
    var (samples, faults): ([ResourceSample], [MixedFault: Int]) = ([], [:])
    var next: [MixedFault] = []
    while start.duration(to: .now) < Self.length {
      try await apps.beat()
      try await world.pass(.milliseconds(Int64.random(in: 500...2500, using: &random)))
      // Each kind comes before one comes again.
      if next.isEmpty { next = MixedFault.allCases.shuffled(using: &random) }
      let fault = next.removeLast()
      try await world.strike(fault, &random)
      faults[fault, default: 0] += 1
      try await world.revive()
      if let sample = try await world.sample() { samples.append(sample) }
    }
    let end = MixedEnd(world: world, apps: apps)
    try await end.settle()
    try await end.judge()
    let last = try #require(try await world.sample())
    let early = ResourceSample.greatest(
      samples[(samples.count / 5)..<max(samples.count * 2 / 5, samples.count / 5 + 1)])
    #expect(last.growth(since: early).isEmpty, "early \(early); last \(last); \(random)")
    let races = try await world.number("SELECT count(*) FROM racing.race WHERE status = 'settled'")
    let ticks = try await world.number("SELECT count(*) FROM settled.occurrence")
    let days = try await world.number("SELECT count(*) FROM checkins.day")
    print(
      """
      mixed: \(faults.values.reduce(0, +)) faults, \(apps.herds) herds, \(races) races settled, \(ticks) ticks, \(days) days \
      closed, \(apps.calls) calls and \(apps.web.calls) requests, \(apps.repeated) of them again; early \(early), last \
      \(last); \(start.duration(to: .now)); \(world.seed)
      """)
    for exit in try await world.stop() { #expect(exit == .code(0)) }
  }

  /// All is ready, athletes have their tokens, and two schedules tick.
  private func begin(_ world: MixedWorld) async throws {
    for node in MixedWorld.nodes { try await world.process(node)?.log("ready") }
    try await world.webProcess?.log("ready")
    for (name, cron, missed) in [
      ("each-second", "* * * * * *", ["once"]),
      ("each-minute", "* * * * *", ["all", "--max", "100", "--within", "6h"]),
    ] {
      let added = try #require(
        try await world.steady?.settlectl(
          ["schedule", "add", name, "--cron", cron, "--call", "ops.\(name.dropFirst(5))", "--missed"] + missed))
      #expect(added.exit == .code(0), "\(added.errors)")
    }
    try await untilTrue("the tokens, \(world.seed)") {
      try await world.number("SELECT count(*) FROM strava.connection WHERE status = 'connecting'") == 0
    }
  }
}
