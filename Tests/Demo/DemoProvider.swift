import HostProcess
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Postgres
import Subprocess

/// The stand-in for the provider of activities, which runs as a process of its own: here
/// its clock is set, and athletes agree.
struct DemoProvider: Sendable {
  let url: String
  /// The defaults of the program fake-provider.
  private static let client = (id: "4711", secret: "secret")

  /// The daemon's configuration of it.
  var variables: [Environment.Key: String] {
    [
      "SETTLED_STRAVA_OAUTH_BASE": url, "SETTLED_STRAVA_API_BASE": url + "/api/v3",
      "SETTLED_STRAVA_CLIENT_ID": Self.client.id, "SETTLED_STRAVA_CLIENT_SECRET": Self.client.secret,
      "SETTLED_TOKEN_KEY": Data(Host.randomBytes(32)).base64EncodedString(),
    ]
  }

  /// Allows as many calls as a story needs that leaps from day to day.
  func begin() async throws {
    _ = try await post("settings", #"{"limits": {"limit15": 10000, "limitDay": 100000}, "delayMs": 1}"#)
  }

  func setClock(_ seconds: Int64, runs: Bool) async throws {
    _ = try await post("clock", #"{"now": \#(seconds), "runs": \#(runs)}"#)
  }

  /// The athlete agrees in the browser, and comes back with a code.
  func authorize(_ athlete: Int64) async throws -> String {
    struct Answer: Decodable { let code: String }
    let body = #"{"athlete": \#(100_000 + athlete), "scope": "read,activity:read_all,profile:read_all"}"#
    return try JSONDecoder().decode(Answer.self, from: await post("authorize", body)).code
  }

  /// The requests that it has had.
  struct Report: Decodable {
    let exchanges: Int
    let rotations: Int
    let refusedGrants: Int
    let parallel: Int
  }

  func report() async throws -> Report { try JSONDecoder().decode(Report.self, from: await ask("report", nil)) }

  private func post(_ path: String, _ body: String) async throws -> Data { try await ask(path, body) }

  private func ask(_ path: String, _ body: String?) async throws -> Data {
    var request = HTTPClientRequest(url: "\(url)/_fake/\(path)")
    if let body {
      request.method = .POST
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    guard response.status.code == 200 else { throw Exit(.unavailable, "the provider answers \(response.status.code)") }
    return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
  }
}

extension DemoOwner {
  /// Codes that wait, and tokens that are due.
  func dueTokens() async throws -> Int64 {
    try await number("SELECT count(*) FROM strava.connection WHERE next_call_at <= settled.clock()")
  }

  /// Connections with a token that lasts, and those that need a new one.
  func connections() async throws -> (fresh: Int64, lost: Int64) {
    let statement: Statement = """
      SELECT count(*) FILTER (WHERE status = 'active' AND expires_at > settled.clock()),
        count(*) FILTER (WHERE status = 'needs_reauth') FROM strava.connection
      """
    return try await pool.withConnection { try await $0.query(statement).one(Int64.self, Int64.self) }
  }
}
