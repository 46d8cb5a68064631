package import Engine
import NIOCore
import NIOPosix
import Synchronization

/// The daemon's two unix sockets: health for anybody, control for those who may.
///
/// It knows no domain and no database: commands come from the runner, health from its source. It fails only when it
/// starts; afterwards a bad request, connection or caller concerns nobody else.
package struct ControlServer: Sendable {
  private let configuration: ControlServerConfiguration
  private let runner: any CommandRunner
  private let health: any HealthSource
  private let observe: @Sendable (ControlObservation) -> Void
  private let rights: Rights
  private let files = SocketFiles()
  private let stopping = AsyncStream.makeStream(of: Void.self)

  package init(
    configuration: ControlServerConfiguration, runner: any CommandRunner, health: any HealthSource,
    observe: @escaping @Sendable (ControlObservation) -> Void
  ) {
    self.configuration = configuration
    self.runner = runner
    self.health = health
    self.observe = observe
    rights = Rights(configuration.authorizer)
  }

  /// Serves both sockets until `stop` or cancellation; once, for a server.
  ///
  /// `ready` is called when both listen. Throws `ControlServerError` where they cannot: with `.inUse` neither path was
  /// touched. After `stop`, requests under way are answered first; cancellation cancels them.
  package func run(ready: @Sendable () -> Void = {}) async throws {
    // Both are claimed before either is touched.
    var healthSocket = try ClaimedSocket(configuration.health)
    var controlSocket = try ClaimedSocket(configuration.control)
    let healthDescriptor = try healthSocket.open(mode: 0o666, group: nil)
    let controlDescriptor = try controlSocket.open(mode: 0o660, group: configuration.authorizer.readers)

    files.remember([healthDescriptor, controlDescriptor])

    // One thread: this is a side entrance, not the work.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let health = try await server(configuration.health, HealthHandler(source: health))
        .listen(healthDescriptor, on: group)
      let control = try await server(configuration.control, controlHandler).listen(controlDescriptor, on: group)
      for source in [configuration.health, configuration.control] { observe(.listening(socket: source.name)) }
      ready()
      try await serve([control, health])
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
    // The files go last, when nothing is served any more.
    _ = consume healthSocket
    _ = consume controlSocket
  }

  /// Asks `run` to end gracefully; may be called at any time, from anywhere, more than once.
  package func stop() {
    stopping.continuation.finish()
  }

  /// Paths of sockets that are served, but whose file is gone or another's: nobody can reach them any more.
  package var lostPaths: [String] { files.lost }

  /// Who may what from now on: for a reload. The sockets keep their group.
  package func authorize(with authorizer: Authorizer) {
    rights.authorizer = authorizer
  }

  private var controlHandler: ControlHandler {
    ControlHandler(
      table: RouteTable(runner.commands), runner: runner, rights: rights,
      description: OpenAPI.document(runner.commands.map(\.description), version: configuration.version),
      observe: observe)
  }

  private func server(_ source: SocketSource, _ handler: some Handler) -> SocketServer {
    SocketServer(name: source.name, handler: handler, limits: configuration.limits, observe: observe)
  }

  private func serve(_ sockets: [Listening]) async throws {
    try await withTaskCancellationHandler {
      for await _ in stopping.stream {}
      try await withThrowingTaskGroup { group in
        for socket in sockets { group.addTask { try await socket.finish() } }
        try await group.waitForAll()
      }
    } onCancel: {
      for socket in sockets { socket.connections.cancel() }
    }
  }
}
