package import HTTPRouting
import HTTPServing
package import Operations

/// The daemon's two unix sockets: health for everyone, control for authorized users.
///
/// It depends on no domain and no database: commands come from the runner, health from its source. It fails only at the
/// start; afterwards a bad request, connection or caller affects no other.
package struct ControlServer: Sendable {
  private let current: CurrentAuthorizer
  private let server: HTTPServer

  package init(
    configuration: ControlServerConfiguration, runner: any CommandRunner, health: any HealthSource,
    observe: @escaping @Sendable (ControlObservation) -> Void
  ) {
    let (current, limits) = (CurrentAuthorizer(configuration.authorizer), configuration.limits)
    let control = ControlHandler(
      table: ControlHandler.table(runner.commands), runner: runner, current: current,
      description: OpenAPI(runner.commands.map(\.description), version: configuration.version).document,
      bodyBytesMax: limits.bodyBytesMax, observe: observe)
    self.current = current
    // One thread: this is not the main work.
    server = HTTPServer([
      Site(
        configuration.health, mode: 0o666,
        handler: HealthHandler(source: health, bodyBytesMax: limits.bodyBytesMax, response: Response.unanswered),
        limits: limits),
      Site(
        configuration.control, mode: 0o660, group: configuration.authorizer.readers, handler: control, limits: limits),
    ]) { observe(ControlObservation($0)) }
  }

  /// Serves both sockets until `stop` or cancellation; once, for a server.
  ///
  /// `ready` is called when both listen. Throws `ServingError` if they cannot: with `.inUse` neither path was touched.
  /// After `stop`, running requests are answered first; cancellation cancels them.
  package func run(ready: @Sendable () -> Void = {}) async throws {
    try await server.run(ready: ready)
  }

  /// Requests a graceful end of `run`; may be called at any time, from any thread, more than once.
  package func stop() { server.stop() }

  /// Paths of sockets that are served, but whose file is gone or was replaced: they are unreachable.
  package var lostPaths: [String] { server.lostPaths }

  /// Replaces the rights of callers, for a reload. The sockets keep their group.
  package func authorize(with authorizer: Authorizer) {
    current.authorizer = authorizer
  }
}

extension ControlObservation {
  fileprivate init(_ observation: ServingObservation) {
    switch observation {
    case .listening(let socket): self = .listening(socket: socket)
    case .connectionRefused(let socket, .peer(let peer)): self = .connectionRefused(socket: socket, uid: peer.uid)
    // The daemon has no internet socket.
    case .connectionRefused(let socket, .address): self = .connectionRefused(socket: socket, uid: .max)
    case .timedOut(let head): self = .timedOut(request: "\(head.method) \(head.target.prefix(200))")
    }
  }
}
