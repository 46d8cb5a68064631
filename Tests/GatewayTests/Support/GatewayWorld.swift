import Gateway
import HTTPServing
import Logging
import Postgres
import Synchronization
import TestSupport

/// A gateway with routes that echo, on a database of its own.
final class GatewayWorld: Sendable {
  let database: TestDatabase
  let directory: ScratchDirectory
  let log: MemoryLog
  private let bound = Mutex<SocketSource?>(nil)

  private init() async throws {
    database = try await TestCluster.shared.database()
    directory = try ScratchDirectory()
    log = MemoryLog()
    let connection = try await database.connect()
    try await connection.script(EchoRoutes.schema)
    await connection.close()
  }

  /// Runs the body while a gateway serves, then stops it gracefully and waits until it has ended.
  static func run(
    routes: [Route] = EchoRoutes.all, listen: SocketSource = .address("127.0.0.1", port: 0),
    surroundings: Surroundings = .host, _ change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: (GatewayWorld) async throws -> Void
  ) async throws {
    let world = try await GatewayWorld()
    var configuration = world.configuration(listen)
    change(&configuration)
    let (signals, stop) = AsyncStream<String>.makeStream()
    let running = try await world.start(configuration, routes, surroundings, until: signals)
    let result: Result<Void, any Error>
    do { result = .success(try await body(world)) } catch { result = .failure(error) }
    stop.yield("SIGTERM")
    try await running.value
    try result.get()
  }

  func configuration(_ listen: SocketSource) -> GatewayConfiguration {
    GatewayConfiguration(
      databaseURL: database.url(), listen: listen, healthSocket: directory.path + "/health.sock",
      publicURL: "https://settled.example")
  }

  /// The task that runs it, once it listens. Throws what starting it throws.
  func start(
    _ configuration: GatewayConfiguration, _ routes: [Route] = EchoRoutes.all, _ surroundings: Surroundings = .host,
    until stop: AsyncStream<String>
  ) async throws -> Task<Void, any Error> {
    let running = try await RunningGateway(
      configuration, .init(routes: routes, callers: TestCallers()), surroundings,
      logger: Logger(label: "test") { [log] _ in log }, until: stop)
    bound.withLock { $0 = $0 ?? running.source }
    return running.task
  }

  /// Where it listens.
  var source: SocketSource {
    guard let source = bound.withLock({ $0 }) else { preconditionFailure("the gateway does not listen") }
    return source
  }

  var health: SocketSource { .path(directory.path + "/health.sock") }

  func connect() throws -> HTTPClient { try HTTPClient(source) }

  /// Sends a text on a connection of its own, and reads what comes until the end.
  func exchange(_ text: String, on source: SocketSource? = nil) async throws -> Reply? {
    let client = try HTTPClient(source ?? self.source)
    await client.send(text)
    return Reply(await client.rest())
  }

  /// One request on a connection of its own.
  func call(
    _ line: String, token: String? = nil, body: String? = nil, headers: [String] = [], on source: SocketSource? = nil
  ) async throws -> Reply {
    var head = "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for header in headers { head += header + "\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
    guard let reply = try await exchange(head + "\r\n" + (body ?? ""), on: source) else {
      throw TimeLimitError(description: "\(line) was not answered")
    }
    return reply
  }
}
