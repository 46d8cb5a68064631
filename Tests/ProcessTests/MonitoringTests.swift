import Foundation
import TestSupport
import Testing

@Suite("Alerts and dashboard") struct MonitoringTests {
  @Test func `Prometheus accepts the alerts, and they fire when they should`() async throws {
    for command in ["check rules settled.rules.yml", "test rules settled.rules.test.yml"] {
      let done = try await Monitoring.promtool("-c", "cd \"$0\" && promtool \(command)", Monitoring.directory)
      #expect(done.exit == .code(0), "\(done.output)\(done.errors)")
    }
  }

  @Test func `Prometheus accepts the queries of the dashboard`() async throws {
    #expect(try await Monitoring.problemsOfQueries() == "")
  }

  @Test func `the metrics of alerts and dashboard exist in a daemon, in Prometheus's format`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await Herd(races: 3, entries: 4).write(owner)
    let daemon = try SettledProcess.daemon(database, node: "watched")
    try await daemon.log("job=race-settlement")
    @Sendable func ask() async throws -> String {
      let asking = try await SettledProcess(
        ["-sS", "--max-time", "60", "--unix-socket", daemon.healthSocket, "http://x/metrics"],
        program: "/usr/bin/curl"
      ).finished()
      try #require(asking.exit == .code(0) && !asking.output.isEmpty, "\(asking.errors)")
      return asking.output
    }
    // Whoever asks gets what is known: the first time nothing of the database's figures.
    try await untilTrue("figures") { try await ask().contains("settled_strava_calls_limit{") }
    let metrics = try await ask()
    #expect(try await Monitoring.problems(of: metrics) == "")
    #expect(metrics.contains("settled_ledger_differences 0\n"))
    #expect(metrics.contains(#"settled_schedule_failed{schedule="ledger-audit"} 0"#))
    #expect(metrics.contains(#"settled_strava_calls_limit{window="900"} 200"#))
    let asked = try Monitoring.names(prefix: "").filter { !$0.hasPrefix("settled_gateway_") }
    #expect(asked.count > 10)
    for name in asked { #expect(metrics.contains("# TYPE \(name) "), "\(name)") }
    try await scrape(daemon)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  /// As Prometheus does it, through the proxy that our example makes: it gets the metrics, and nothing else.
  private func scrape(_ daemon: SettledProcess) async throws {
    let directory = try ScratchDirectory()
    let example = try Checkout.text("deploy/monitoring/nginx-metrics.conf")
    let socket = directory.path + "/http"
    let site = example.replacing("127.0.0.1:9630;", with: "unix:\(socket);")
      .replacing("/run/settled/health.sock", with: daemon.healthSocket)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(directory.path)/\($0);"
    }
    try """
    daemon off; master_process off; pid \(directory.path)/pid; error_log stderr; events {}
    http { \(temporary.joined(separator: " ")) \(site) }
    """.write(toFile: directory.path + "/nginx.conf", atomically: true, encoding: .utf8)
    let nginx = try SettledProcess(
      ["-e", "stderr", "-p", directory.path, "-c", directory.path + "/nginx.conf"], program: "/usr/sbin/nginx")
    @Sendable func ask(_ path: String) async throws -> Finished {
      try await SettledProcess(
        ["-s", "--max-time", "60", "-w", "%{http_code}", "--unix-socket", socket, "http://x\(path)"],
        program: "/usr/bin/curl"
      ).finished()
    }
    try await untilTrue("nginx (\(nginx.errors.text))") { try await ask("/").exit == .code(0) }
    let metrics = try await ask("/settled").output
    #expect(metrics.contains("# TYPE settled_up ") && metrics.hasSuffix("200"))
    for path in ["/health/ready", "/metrics", "/settled/", "/v1/status"] {
      #expect(try await ask(path).output.hasSuffix("404"), "\(path)")
    }
    nginx.terminate()
    #expect(try await nginx.exit() == .code(0))
  }
}
