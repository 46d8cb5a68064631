import TestSupport
import Testing

@Suite("Alerts and dashboard") struct MonitoringTests {
  @Test func `are rules that Prometheus takes, and come when they should`() async throws {
    for command in ["check rules settled.rules.yml", "test rules settled.rules.test.yml"] {
      let done = try await Monitoring.promtool("-c", "cd \"$0\" && promtool \(command)", Monitoring.directory)
      #expect(done.exit == .code(0), "\(done.output)\(done.errors)")
    }
  }

  @Test func `ask for metrics that a daemon has, in a form that Prometheus reads`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await Herd(races: 3, entries: 4).write(owner)
    let daemon = try SettledProcess.daemon(database, node: "watched")
    try await daemon.log("job=race-settlement")
    let asking = try await SettledProcess(
      ["-sS", "--max-time", "60", "--unix-socket", daemon.healthSocket, "http://x/metrics"],
      program: "/usr/bin/curl"
    ).finished()
    let metrics = asking.output
    try #require(asking.exit == .code(0) && !metrics.isEmpty, "\(asking.errors)")
    #expect(try await Monitoring.problems(of: metrics) == "")
    let asked = try Monitoring.names(prefix: "").filter { !$0.hasPrefix("settled_gateway_") }
    #expect(asked.count > 10)
    for name in asked { #expect(metrics.contains("# TYPE \(name) "), "\(name)") }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
