import Engine
import Postgres
import TestSupport
import Testing

@testable import Strava

/// The client's conduct with a provider, or with somebody in between, that means ill.
@Suite("The client of the provider", .timeLimit(.minutes(2))) struct HTTPProviderTests {
  private static let now = Timestamp(microseconds: World.start * 1_000_000)

  private func provider(_ base: String, proxy: String? = nil, time: Timekeeper = TestTime.host) -> HTTPProvider {
    HTTPProvider(
      ProviderOptions(
        oauthBase: base, apiBase: base, clientID: "1", clientSecret: "cs_x", proxy: proxy, key: "", oldKeys: [],
        stateDirectory: "/nowhere"), time: time)
  }

  private func failure(_ provider: HTTPProvider) async -> ProviderFailure.Class? {
    do {
      _ = try await provider.refresh("rt_1", at: Self.now)
      return nil
    } catch {
      return (error as? ProviderFailure)?.kind
    }
  }

  private static func answer(_ status: String, _ body: String = "{}", _ more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)"
  }

  @Test func `the provider's client follows no redirect, which would carry the secrets elsewhere`() async throws {
    let other = try await RawServer(answer: Self.answer("200 OK"))
    let location = "Location: http://127.0.0.1:\(other.port)/oauth/token\r\n"
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
      let server = try await RawServer(answer: Self.answer(status, "", location))
      #expect(await failure(provider("http://127.0.0.1:\(server.port)")) == .unreadable)
      #expect(server.requests.count == 1)
    }
    #expect(other.requests.isEmpty)
  }

  @Test func `the provider's client sends nothing to a server with an untrusted certificate`() async throws {
    let server = try await RawServer(hasTLS: true, answer: Self.answer("200 OK"))
    #expect(await failure(provider("https://127.0.0.1:\(server.port)")) == .unreachable)
    #expect(server.requests.isEmpty)
  }

  @Test func `the provider's client asks a proxy for a tunnel, and reveals no secret to it`() async throws {
    let proxy = try await RawServer(answer: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
    let client = provider("https://strava.example", proxy: "127.0.0.1:\(proxy.port)")
    #expect(await failure(client) == .unreachable)
    let sent = try #require(proxy.requests.first)
    #expect(sent.hasPrefix("CONNECT strava.example:443 HTTP/1.1"))
    #expect(!sent.contains("rt_1") && !sent.contains("cs_x"))
  }

  @Test(arguments: [
    ("200 OK", "{}", ProviderFailure.Class.unreadable), ("200 OK", "<html>", .unreadable),
    ("200 OK", #"{"access_token": "a b", "refresh_token": "r", "expires_at": 1}"#, .unreadable),
    ("401 Unauthorized", #"{"message": "Authorization Error"}"#, .client), ("429 Too Many", "", .limit),
    ("500 Oops", "", .server), ("503 Away", "", .server), ("400 Bad", #"{"errors": []}"#, .refused),
    ("403 No", "", .refused),
    ("403 No", #"{"errors": [{"resource": "Application", "field": "Status", "code": "Inactive"}]}"#, .client),
    ("400 Bad", #"{"errors": [{"resource": "Application", "field": "client_id", "code": "invalid"}]}"#, .client),
    ("400 Bad", #"{"error": "invalid_client"}"#, .client), ("204 No Content", "", .unreadable),
  ])
  func `the provider's client classifies an answer by its status class`(
    status: String, body: String, kind: ProviderFailure.Class
  ) async throws {
    let server = try await RawServer(answer: Self.answer(status, body))
    #expect(await failure(provider("http://127.0.0.1:\(server.port)")) == kind)
  }

  @Test func `a read that is refused for an inactive application says something of the provider`() async throws {
    for (body, kind) in [
      (
        #"{"errors": [{"resource": "Application", "field": "Status", "code": "Inactive"}]}"#,
        ProviderFailure.Class.client
      ),
      (#"{"errors": [{"resource": "Activity", "field": "", "code": "private"}]}"#, .refused),
    ] {
      let server = try await RawServer(answer: Self.answer("403 Forbidden", body))
      let reads = HTTPActivities(
        ProviderOptions(
          oauthBase: "", apiBase: "http://127.0.0.1:\(server.port)", clientID: "", clientSecret: "", proxy: nil,
          key: "",
          oldKeys: [], stateDirectory: ""), time: TestTime.host)
      let failure = await #expect(throws: ProviderFailure.self) { try await reads.streams(of: 1, token: "at") }
      #expect(failure?.kind == kind && failure?.isOfPeer == (kind == .client))
    }
  }

  @Test(arguments: [60, 8])
  func `the provider's client waits some seconds more where its timer fires late, as in a stopped process`(
    after seconds: Int64
  ) async throws {
    let time = StoppedTime(for: .seconds(seconds))
    let body = #"{"access_token": "at", "refresh_token": "rt", "expires_in": 21600}"#
    // The answer comes when the timer has fired.
    let server = try await RawServer(answer: Self.answer("200 OK", body)) { await time.untilFired() }
    let client = provider("http://127.0.0.1:\(server.port)", time: time.timekeeper)
    #expect(await failure(client) == (seconds == 60 ? nil : .lost))
  }

  @Test(arguments: [
    #"{"errors": [{"resource": "RefreshToken", "field": "refresh_token", "code": "invalid"}]}"#,
    #"{"error": "invalid_grant"}"#,
  ])
  func `the provider's client recognises a dead grant in either form`(body: String) async throws {
    let server = try await RawServer(answer: Self.answer("400 Bad Request", body))
    let reply = try await provider("http://127.0.0.1:\(server.port)").refresh("rt_1", at: Self.now)
    #expect(reply.outcome == .refused)
  }

  @Test func `the provider's client keeps an omitted refresh token, and derives a missing end of a token`()
    async throws
  {
    let server = try await RawServer(
      answer: Self.answer(
        "200 OK", #"{"access_token": "at", "expires_in": 21600}"#,
        "X-RateLimit-Limit: 600, 30000\r\nX-RateLimit-Usage: 7,8\r\n"))
    let reply = try await provider("http://127.0.0.1:\(server.port)").refresh("rt_1", at: Self.now)
    let end = Timestamp(microseconds: (World.start + 21600) * 1_000_000)
    #expect(
      reply.outcome
        == .tokens(TokenPair(accessToken: "at", refreshToken: "rt_1", expiresAt: end, athleteID: nil)))
    #expect(reply.usage.count == 2)
  }

  @Test(arguments: [
    #""expires_at": "soon", "expires_in": "later""#, #""expires_at": 1e400"#,
    #""athlete": {"id": 9223372036854775808}"#,
    #""athlete": "Ann""#, #""expires_at": 4102444800"#, #""expires_at": 0"#,
  ])
  func `the provider's client takes tokens from an answer with any other content`(member: String) async throws {
    let body = #"{"access_token": "at", "refresh_token": "rt", \#(member)}"#
    let server = try await RawServer(
      answer: Self.answer("200 OK", body, "X-RateLimit-Limit: 0,0\r\nX-RateLimit-Usage: 1,1\r\n"))
    let reply = try await provider("http://127.0.0.1:\(server.port)").refresh("rt_1", at: Self.now)
    guard case .tokens(let pair) = reply.outcome else {
      Issue.record("no tokens")
      return
    }
    #expect(pair.refreshToken == "rt" && pair.athleteID == nil)
    #expect(pair.expiresAt > Self.now && pair.expiresAt.since(Self.now) <= .seconds(86400))
  }
}
