import Foundation
import TestSupport
import Testing

@Suite("The fake provider") struct FakeProviderTests {
  @Test func `an authorisation code of the fake provider works once, and for its client only`() async throws {
    let provider = try await FakeProvider()
    let code = try await provider.authorize(77)
    let wrong = try await provider.client.call(
      "/oauth/token", body: "client_id=1&client_secret=x&grant_type=authorization_code&code=\(code)")
    #expect(wrong.status == 401 && wrong.body.contains("\"field\":\"client_secret\""))
    _ = try Issued(await provider.exchange(code))
    let second = try await provider.exchange(code)
    #expect(second.status == 400 && second.body.contains("\"resource\":\"AuthorizationCode\""))
    let report = try await provider.report()
    #expect(report.exchanges == 1 && report.refusedGrants == 1 && report.deniedClients == 1)
    #expect(report.byStatus == ["200": 1, "400": 1, "401": 1] && report.calls == 3)
  }

  @Test func `a refresh returns the same tokens until an hour is left, then new ones, and ends the old`()
    async throws
  {
    let (provider, first) = try await FakeProvider.connected()
    #expect(first.expiresAt == FakeProvider.noon + 6 * FakeProvider.hour && first.expiresIn == 6 * FakeProvider.hour)
    try await provider.setClock(first.expiresAt - FakeProvider.hour - 1)
    let same = try Issued(await provider.refresh(first.refreshToken))
    #expect(same.accessToken == first.accessToken && same.refreshToken == first.refreshToken)
    #expect(same.expiresIn == FakeProvider.hour + 1)

    try await provider.setClock(first.expiresAt - FakeProvider.hour)
    let next = try Issued(await provider.refresh(first.refreshToken))
    #expect(next.accessToken != first.accessToken && next.refreshToken != first.refreshToken)
    #expect(next.expiresAt == first.expiresAt + 5 * FakeProvider.hour)
    let dead = try await provider.refresh(first.refreshToken)
    #expect(dead.status == 400 && dead.body.contains("\"resource\":\"RefreshToken\""))
    let tokens = try await provider.tokens(77)
    #expect(tokens.refreshToken == next.refreshToken && tokens.accessToken == next.accessToken && tokens.alive)
    #expect(try await Set(provider.secrets()).isSuperset(of: [first.refreshToken, next.accessToken]))
    let report = try await provider.report()
    #expect(report.refreshes == 2 && report.rotations == 1 && report.undelivered.isEmpty && report.parallel == 0)

    try await provider.configure(ProviderSettings(rotates: false))
    try await provider.setClock(next.expiresAt)
    let kept = try Issued(await provider.refresh(next.refreshToken))
    #expect(kept.refreshToken == next.refreshToken && kept.accessToken != next.accessToken)
  }

  @Test func `a grant ends with a revocation, at the provider, and with the next exchange`() async throws {
    let (provider, first) = try await FakeProvider.connected()
    let second = try Issued(await provider.exchange(provider.authorize(77)))
    #expect(try await provider.refresh(first.refreshToken).status == 400)
    #expect(try await provider.list(first.accessToken).status == 401)
    #expect(try await provider.list(second.accessToken).status == 200)
    let basic = Data("\(provider.clientId):\(provider.clientSecret)".utf8).base64EncodedString()
    let revoked = try await provider.client.call(
      "/oauth/revoke", body: "token=\(second.refreshToken)", headers: ["Authorization": "Basic \(basic)"])
    #expect(revoked.status == 200)
    #expect(try await provider.list(second.accessToken).status == 401)

    let third = try Issued(await provider.exchange(provider.authorize(77)))
    try await provider.forget(77)
    #expect(try await provider.refresh(third.refreshToken).status == 400)
    let report = try await provider.report()
    #expect(report.revocations == 1 && report.athletes["77"]?.alive == false)
  }

  @Test func `the fake provider's clock stands, runs or is real, and access tokens expire by it`() async throws {
    let (provider, tokens) = try await FakeProvider.connected()
    try await provider.setClock(tokens.expiresAt - 1)
    #expect(try await provider.list(tokens.accessToken).status == 200)
    try await provider.setClock(tokens.expiresAt - 1, runs: true)
    try await untilTrue("the end of the token") { try await provider.list(tokens.accessToken).status == 401 }
    try await provider.setClock(nil)
    let now = Int64(Date().timeIntervalSince1970)
    let real = try Issued(await provider.exchange(provider.authorize(78)))
    #expect(abs(real.expiresAt - 6 * FakeProvider.hour - now) < 60)
  }

  @Test func `planted activities are listed in pages, with their streams`() async throws {
    let (provider, tokens) = try await FakeProvider.connected()
    let days = (1...5).map { "{\"id\":\($0),\"start_date\":\"2026-07-0\($0)T06:00:00Z\",\"distance\":5012.5}" }
    try await provider.plant(
      77, activities: "[\(days.joined(separator: ","))]", streams: "{\"2\":{\"time\":{\"data\":[0,1]},\"x\":{}}}")
    let after = "after=1782885600&page=2&per_page=3"
    let page = try await provider.list(tokens.accessToken, after)
    #expect(page.body == "[{\"distance\":5012.5,\"id\":5,\"start_date\":\"2026-07-05T06:00:00Z\"}]")
    let bearer: KeyValuePairs = ["Authorization": "Bearer \(tokens.accessToken)"]
    let streams = "streams?keys=time,distance&key_by_type=true"
    let found = try await provider.client.call("/api/v3/activities/2/\(streams)", headers: bearer)
    #expect(found.body == "{\"time\":{\"data\":[0,1]}}")
    #expect(try await provider.client.call("/api/v3/activities/3/\(streams)", headers: bearer).status == 404)
  }
}
