import GatewaySupport
import HTTPServing
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The gateway as it is shipped, with all its routes and its own key, over a migrated database with a simulated clock.
final class SystemWorld: Sendable {
  static let publicURL = "http://127.0.0.1"

  /// The least there is: the standard takes seconds in a build without optimization.
  static var passwordCost: ScryptCost {
    get throws {
      guard let cost = ScryptCost(logN: 10, r: 8, p: 1) else { throw TimeLimitError(description: "no such cost") }
      return cost
    }
  }

  let settled: SettledDatabase
  /// The things that apps and operators do beside the routes.
  let owner: Connection
  let log = MemoryLog()
  let key: SigningKey
  private let tokens: TokenIssuer
  private let directory: ScratchDirectory
  private let bound = Mutex<SocketSource?>(nil)
  private let served = Mutex<[Route]>([])
  private let checked = Mutex<AnswersInSchema?>(nil)

  private init(at start: String) async throws {
    settled = try await SettledDatabase.simulated()
    try await settled.setClock(start)
    owner = try await settled.connect()
    directory = try ScratchDirectory()
    key = try SigningKey(pem: Keys.ecPKCS8)
    tokens = TokenIssuer(key, publicURL: Self.publicURL)
  }

  /// Runs the body while the gateway serves, then stops it gracefully and waits until it has ended.
  static func run(
    at start: String = "2031-06-02T09:00:00Z", _ change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: (SystemWorld) async throws -> Void
  ) async throws {
    let world = try await SystemWorld(at: start)
    let (signals, stop) = AsyncStream<String>.makeStream()
    let running = try await world.start(change, until: signals)
    let result: Result<Void, any Error>
    do { result = .success(try await body(world)) } catch { result = .failure(error) }
    stop.yield("SIGTERM")
    try await running.value
    await world.owner.close()
    try result.get()
  }

  private func start(
    _ change: (inout GatewayConfiguration) -> Void, until stop: AsyncStream<String>
  ) async throws -> Task<Void, any Error> {
    var configuration = GatewayConfiguration(
      databaseURL: settled.url(.gateway), listen: .address("127.0.0.1", port: 0),
      healthSocket: directory.path + "/health.sock", publicURL: Self.publicURL)
    configuration.signingKey = key.pem
    // Hashing passwords is slow on a machine that is busy with other tests.
    configuration.limits.request = .seconds(60)
    change(&configuration)
    let logger = Logger(label: "test") { [log] _ in log }
    let parts = try await GatewayService.Parts.configured(
      configuration, .host, logger, passwords: try Self.passwordCost)
    served.withLock { $0 = parts.routes }
    let running = try await RunningGateway(configuration, parts, logger: logger, until: stop)
    bound.withLock { $0 = running.source }
    return running.task
  }

  var source: SocketSource {
    guard let source = bound.withLock({ $0 }) else { preconditionFailure("the gateway does not listen") }
    return source
  }

  /// The routes that are served.
  var routes: [Route] { served.withLock { $0 } }

  /// A directory of its own, which goes with it.
  var scratch: String { directory.path }

  /// `http://127.0.0.1:PORT`
  var base: String { "http://\(source.name)" }

  /// Sets the database's clock, also to an instant before the database was made, as those of the documents are.
  func clock(_ instant: String) async throws {
    try await owner.execute("UPDATE settled.installation SET clock_base = \(instant)::text::timestamptz")
  }

  /// A token as `settled-gateway token` signs one.
  func token(
    athlete: Int64? = nil, username: String? = nil, runner: Int64? = nil, reader: Int64? = nil,
    checkin: String? = nil, roles: Set<Role> = []
  ) async throws -> String {
    try await token(
      Caller(athlete: athlete, username: username, runner: runner, reader: reader, checkin: checkin, roles: roles))
  }

  func token(_ caller: Caller) async throws -> String {
    try await tokens.token(for: caller, lasting: .seconds(3600), at: Surroundings.host.wall())
  }

  /// One request on a connection of its own.
  func call(
    _ line: String, token: String? = nil, body: String? = nil, headers: [String] = []
  ) async throws -> Reply {
    var head = "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for header in headers { head += header + "\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\nContent-Type: application/json\r\n" }
    let client = try HTTPClient(source)
    await client.send(head + "\r\n" + (body ?? ""))
    guard let reply = Reply(await client.rest()) else { throw TimeLimitError(description: "\(line): no answer") }
    for problem in try await description().problems(of: reply, to: line) { Issue.record("\(line): \(problem)") }
    return reply
  }

  /// The same again while the answer is 503: on a loaded machine a hint may need more than its two seconds.
  func patientCall(
    _ line: String, token: String? = nil, body: String? = nil, headers: [String] = []
  ) async throws -> Reply {
    var reply = try await call(line, token: token, body: body, headers: headers)
    for _ in 1...5 where reply.status == 503 {
      reply = try await call(line, token: token, body: body, headers: headers)
    }
    return reply
  }

  /// The gateway's own description of its answers: each that passes through `call` is held against it.
  func description() async throws -> AnswersInSchema {
    if let known = checked.withLock({ $0 }) { return known }
    let client = try HTTPClient(source)
    await client.send("GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    guard let reply = Reply(await client.rest()), reply.status == 200 else {
      throw TimeLimitError(description: "/openapi.json is not answered")
    }
    let description = AnswersInSchema(document: try OpenAPIDocument(reply.body))
    checked.withLock { $0 = description }
    return description
  }

  /// The JSON of an answer with this status.
  func json(
    _ line: String, token: String? = nil, body: String? = nil, headers: [String] = [], status: Int = 200
  ) async throws -> DocumentJSON {
    let reply = try await call(line, token: token, body: body, headers: headers)
    guard reply.status == status else { throw TimeLimitError(description: "\(line): \(reply)") }
    return try DocumentJSON(reply.body)
  }

  /// One number from the database.
  func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

  func athlete(_ name: String, pounds: Int64 = 0) async throws -> Int64 {
    let id = try await number(
      "SELECT racing.create_athlete(\(name), date '1990-01-01', 'female')")
    if pounds > 0 {
      _ = try await owner.query("SELECT racing.deposit(\(id), \(pounds * 100), 'first')")
    }
    return id
  }
}
