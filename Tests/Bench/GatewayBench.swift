import Foundation
import Gateway
import Postgres
import TestSupport

/// `deploy/bench gateway`: requests a second over HTTP, beside the same calls made by pgbench.
struct GatewayBench {
  let repetitions: Int
  let seconds: Int

  private static let callers = 64
  private static let idle = 1000

  /// A request, and the call that it comes to.
  struct Call {
    let name: String
    let isWrite: Bool
    let method: String
    /// `%d` is one of the open races, in turn.
    let path: String
    let body: String
    /// One for each caller; none: nobody's.
    let tokens: [String]
    /// For pgbench.
    let sql: String
  }

  func run() async throws -> Report {
    try await BenchCluster.with { cluster in
      let world = try await GatewayWorld(cluster)
      var report = Report()
      let idleMegabytes = try await idleMemory(world)
      report.add("memory with \(Self.idle) idle connections", "MB", idleMegabytes)
      for repetition in 1...repetitions {
        for call in try await calls(world, repetition) {
          note("\(call.name): repetition \(repetition) of \(repetitions)")
          let direct = try await PgbenchRun(url: cluster.url(GatewayWorld.database, user: "settled_gateway"))
            .rate(call.sql, clients: Self.callers, seconds: seconds)
          let http = try await WrkRun(base: GatewayWorld.publicURL, races: (world.open, GatewayWorld.openRaces)).run(
            call, callers: Self.callers, seconds: seconds)
          report.add("\(call.name): requests a second", "/s", http.rate)
          report.add("\(call.name): p99", "ms", http.p99)
          report.add("\(call.name): calls a second over libpq", "/s", direct)
          // The report's targets are what a median may be at most.
          report.add(
            "\(call.name): libpq over HTTP", "x", direct / http.rate, target: call.isWrite ? 1 / 0.8 : 1 / 0.5)
        }
      }
      report.add(
        "processor of the gateway", "s", try ProcessUsage(pid: world.process.pid).processor)
      try await world.end()
      return report
    }
  }

  private func calls(_ world: GatewayWorld, _ repetition: Int) async throws -> [Call] {
    let first = try await world.firstRacer()
    // Half of the people are HTTP's, half pgbench's; each repetition has a part of both.
    let part = GatewayWorld.people / Int64(2 * repetitions)
    let offset = Int64(repetition - 1) * part
    let half = GatewayWorld.people / 2
    try await world.owner.execute("SELECT setval('bench_entry', \(first + half + offset))")
    try await world.owner.execute("SELECT setval('bench_checkin', \(half + offset + 1))")
    // The space after each colon keeps pgbench from taking a value for a variable.
    let metrics = """
      {"sleepHours": 7.5, "steps": 9000, "vigorousMinutes": 20, "processedFoodScore": 2, "alcoholUnits": 0, \
      "stressLevel": 3, "lateCaffeine": false, "screenLate": true, "bedtimeHour": 22.5}
      """
    return [
      Call(
        name: "race list", isWrite: false, method: "GET", path: "/races?type=top_speed", body: "", tokens: [],
        sql: "SELECT (gateway.racepace_races('{\"type\": \"top_speed\"}'))::text;"),
      Call(
        name: "leaderboard", isWrite: false, method: "GET", path: "/races/\(world.ended)/leaderboard", body: "",
        tokens: [], sql: "SELECT (gateway.racepace_leaderboard(\(world.ended)))::text;"),
      Call(
        name: "achievements", isWrite: false, method: "GET", path: "/gread/v2/me/achievements", body: "",
        tokens: try await world.tokens(1) { _ in Caller(reader: 7) },
        sql: "SELECT (gateway.gread_own_achievements(2, 7, NULL, NULL))::text;"),
      Call(
        name: "entry", isWrite: true, method: "POST", path: "/races/%d/enter", body: "",
        tokens: try await world.tokens(Int(part)) { Caller(athlete: first + offset + $0 - 1) },
        sql: """
          SELECT (gateway.racepace_enter(n, \(world.open) + n % \(GatewayWorld.openRaces)))::text
          FROM nextval('public.bench_entry') AS n;
          """),
      Call(
        name: "check-in", isWrite: true, method: "POST", path: "/api/age/daily-update", body: metrics,
        tokens: try await world.tokens(Int(part)) { Caller(checkin: "person\(offset + $0)") },
        sql: """
          SELECT (gateway.checkin_submit('person' || nextval('public.bench_checkin'), '\(metrics)'))::text;
          """),
    ]
  }

  /// The memory of the gateway while so many clients have been answered and say nothing.
  private func idleMemory(_ world: GatewayWorld) async throws -> Double {
    let clients = try IdleClients(Self.idle, port: GatewayWorld.port, path: "/races/\(world.ended)")
    let megabytes = try ProcessUsage(pid: world.process.pid).residentMegabytes
    withExtendedLifetime(clients) {}
    return megabytes
  }
}
