import Foundation
import Postgres
import TestSupport
import TextCoding

/// The real gateway and daemon over a database whose entrants must be proved, and the provider's stand-in.
final class ProofWorld: Sendable {
  let database: SettledDatabase
  let owner: Connection
  let provider: FakeProvider
  private let gateway: LiveGateway
  private let directory: ScratchDirectory
  private let web: SettledProcess
  private let daemon: SettledProcess

  init() async throws {
    database = try await SettledDatabase.simulated()
    owner = try await database.connect()
    provider = try await FakeProvider()
    directory = try ScratchDirectory()
    try await provider.setClock(1_930_478_400)
    try await owner.script(
      """
      SELECT settled.set('racing.proof', 'on'), settled.set('racing.calendar', 'off');
      SELECT settled.set_clock('2031-03-05T12:00:00Z');
      """)
    gateway = try LiveGateway(database)
    web = try await gateway.start()
    daemon = try SettledProcess.daemon(
      database, node: "proof",
      SettledProcess.adminsAreOurs.merging([
        "SETTLED_STATE_DIRECTORY": directory.path, "SETTLED_STRAVA_OAUTH_BASE": provider.url,
        "SETTLED_STRAVA_API_BASE": provider.url + "/api/v3", "SETTLED_STRAVA_CLIENT_ID": provider.clientId,
        "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
      ]) { $1 })
    try await daemon.log("ready")
  }

  func stop() async throws -> Bool {
    web.terminate()
    daemon.terminate()
    let ends = [try await web.exit(), try await daemon.exit()]
    return ends.allSatisfy { $0 == .code(0) }
  }

  /// Somebody with money and a token of the gateway.
  struct Person {
    let athlete: Int64
    let token: String
  }

  func person(_ name: String, gender: String? = "female") async throws -> Person {
    let athlete = try await owner.query("SELECT racing.create_athlete(\(name), date '2003-05-05', \(gender))").one(
      Int64.self)
    _ = try await owner.query("SELECT racing.deposit(\(athlete), 10000, 'first')")
    return Person(athlete: athlete, token: try await gateway.token("--athlete", "\(athlete)"))
  }

  func race(_ type: String = "top_speed") async throws -> Int64 {
    try await owner.query(
      """
      SELECT racing.create_race(\(type), 'daily', 'senior_women', settled.clock() - interval '1 hour',
        settled.clock() + interval '23 hours')
      """
    ).one(Int64.self)
  }

  /// Hands a code in, over HTTP.
  func connect(_ person: Person, code: String, scope: String = FakeProvider.scopes) async throws {
    let answer = try await gateway.ask(
      "PUT", "/users/\(person.athlete)/strava", token: person.token,
      body: #"{"code": "\#(code)", "scope": "\#(scope)"}"#)
    guard answer.status == 201 else { throw TimeLimitError(description: "not connected: \(answer)") }
  }

  func disconnect(_ person: Person) async throws {
    let answer = try await gateway.ask("PUT", "/users/\(person.athlete)/strava", token: person.token, body: "null")
    guard (200...201).contains(answer.status) else { throw TimeLimitError(description: "not disconnected: \(answer)") }
  }

  /// The status and rule of an entry over HTTP, and `retry` where the problem has it.
  func enter(_ person: Person, _ race: Int64) async throws -> String {
    let answer = try await gateway.ask("POST", "/races/\(race)/enter", token: person.token)
    let body = try JSONValue(answer.body)
    let retry = body["retry"] == true ? "retry" : nil
    return [String(answer.status), body["rule"]?.text, retry].compactMap { $0 }.joined(separator: " ")
  }

  /// A request of somebody, or of nobody, over HTTP.
  func ask(
    _ method: String, _ path: String, _ person: Person?, key: String? = nil, body: String? = nil
  ) async throws -> LiveGateway.Answer {
    try await gateway.ask(method, path, token: person?.token, key: key, body: body)
  }

  /// The answer of `settlectl`, in JSON.
  func settlectl(_ words: String...) async throws -> String {
    try await daemon.settlectl(words + ["--json"]).output
  }

  /// The end of `settlectl`.
  func operate(_ words: String...) async throws -> Finished { try await daemon.settlectl(words) }

  /// What the daemon has logged so far.
  var log: String { daemon.errors.text }

  func until(_ person: Person, is status: String) async throws {
    try await untilTrue("\(person.athlete) is \(status)") {
      let now = try await self.owner.query(
        "SELECT status || coalesce(' ' || reason, '') FROM strava.connection WHERE athlete_id = \(person.athlete)"
      ).one(String.self)
      return now == status
    }
  }

  func advance(_ seconds: Int64) async throws {
    let now = try await owner.query("SELECT extract(epoch FROM settled.clock())::bigint + \(seconds)").one(Int64.self)
    try await provider.setClock(now)
    try await owner.execute("SELECT settled.set_clock(to_timestamp(\(Double(now))))")
  }
}
