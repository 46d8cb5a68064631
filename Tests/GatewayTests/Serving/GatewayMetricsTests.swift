import TestSupport
import Testing

@Suite("The gateway's metrics") struct GatewayMetricsTests {
  @Test func `the gateway's metrics have the names of alerts and dashboard, and Prometheus reads them`() async throws {
    try await GatewayWorld.run { world async throws in
      #expect(try await world.call("GET /echo/1").status == 200)
      let metrics = try await world.call("GET /metrics", on: world.health).body
      #expect(try await Monitoring.problems(of: metrics) == "")
      let asked = try Monitoring.names(prefix: "settled_gateway_")
      #expect(asked.count > 4)
      for name in asked { #expect(metrics.contains("# TYPE \(name) "), "\(name)") }
    }
  }
}
