import Gateway
import Postgres

/// `deploy/bench growth-reads`: requests to the gateway, by the athletes in the database.
struct ReadGrowth {
  let scale: GrowthScale
  let seconds: Int

  private static let callers = 8

  func run() async throws -> Report {
    try await scale.report(of: "athletes", from: 1000, through: 1_000_000, bytesPerRow: 3000) {
      athletes, cluster, report in
      let world = try await GatewayWorld(cluster, athletes: athletes, people: 0)
      for _ in scale.repetitions(at: athletes) {
        for (name, path, tokens) in try await reads(world) {
          let call = GatewayBench.Call(
            name: name, isWrite: false, method: "GET", path: path, body: "", tokens: tokens, sql: "")
          let run = try await WrkRun(base: GatewayWorld.publicURL, races: (world.open, GatewayWorld.openRaces)).run(
            call, callers: Self.callers, seconds: seconds)
          report.grow(
            "\(name): time of a request", "ms", 1000 / run.rate, at: athletes, "athletes",
            target: GrowthScale.constant)
        }
      }
      try await world.end()
    }
  }

  private func reads(_ world: GatewayWorld) async throws -> [(String, String, [String])] {
    let athlete = try await world.tokens(1) { _ in Caller(athlete: 500) }
    return [
      ("race list", "/races?type=top_speed", []), ("leaderboard", "/races/\(world.ended)/leaderboard", []),
      ("own profile", "/users/500", athlete),
    ]
  }
}
