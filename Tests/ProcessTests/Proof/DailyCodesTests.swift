import TestSupport
import Testing

/// Over HTTP against gateway, daemon and provider.
@Suite("The codes of one athlete", .timeLimit(.minutes(5))) struct DailyCodesTests {
  @Test func `the eleventh code of a day of one athlete is refused`() async throws {
    let world = try await ProofWorld()
    let eve = try await world.person("Eve")
    for _ in 1...10 { try await world.connect(eve, code: "garbage") }
    let body = #"{"code": "garbage", "scope": "read"}"#
    let refused = try await world.ask("PUT", "/users/\(eve.athlete)/strava", eve, body: body)
    #expect(refused.status == 429 && refused.body.contains("quota"), "\(refused)")
    #expect(try await world.stop())
  }
}
