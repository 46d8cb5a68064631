import Glibc
import NIOCore
import NIOPosix

/// A socket to be served: where it comes from, who answers on it, and within which limits.
package struct Site: Sendable {
  package var source: SocketSource
  /// Of the file, where the socket is made at a path.
  package var mode: UInt32
  /// Of the file, too; nil: the process's own.
  package var group: UInt32?
  /// Whether an inherited socket may be one of the internet.
  package var allowsInternet: Bool
  package var handler: any RequestHandler
  package var limits: ServingLimits
  /// Told of what is in use.
  package var gauges: ServingGauges?

  package init(
    _ source: SocketSource, mode: UInt32, group: UInt32? = nil, allowsInternet: Bool = false,
    handler: any RequestHandler, limits: ServingLimits
  ) {
    self.source = source
    self.mode = mode
    self.group = group
    self.allowsInternet = allowsInternet
    self.handler = handler
    self.limits = limits
  }
}

/// Serves several sockets, all of them or none.
package struct HTTPServer: Sendable {
  private let sites: [Site]
  private let threads: Int
  private let observe: @Sendable (ServingObservation) -> Void
  private let files = SocketFiles()
  private let stopping = AsyncStream.makeStream(of: Void.self)

  /// `threads`: how many threads read and write; the work of requests runs elsewhere.
  package init(_ sites: [Site], threads: Int = 1, observe: @escaping @Sendable (ServingObservation) -> Void) {
    self.sites = sites
    self.threads = threads
    self.observe = observe
  }

  /// Serves all sockets until `stop` or cancellation; once, for a server.
  ///
  /// `ready` is called when all listen. Throws `ServingError` where they cannot: with `.inUse` none was touched. After
  /// `stop`, requests under way are answered first; cancellation cancels them.
  package func run(ready: @Sendable () -> Void = {}) async throws {
    // All are claimed before one is touched.
    let claimed = try sites.map { site throws(ServingError) in try ClaimedSocket(site) }
    let descriptors = try zip(claimed, sites).map { claim, site throws(ServingError) in
      try claim.open(mode: site.mode, group: site.group)
    }
    files.remember(descriptors)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    do {
      var sockets: [Listening] = []
      for (site, descriptor) in zip(sites, descriptors) {
        let name = SocketName.bound(descriptor) ?? site.source.name
        let server = SocketServer(
          name: name, handler: site.handler, limits: site.limits, gauges: site.gauges, observe: observe)
        sockets.append(try await server.listen(descriptor, on: group))
      }
      for socket in sockets { observe(.listening(socket: socket.name)) }
      ready()
      try await serve(sockets)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
    // The files go last, when nothing is served any more.
    withExtendedLifetime(claimed) {}
  }

  /// Asks `run` to end gracefully; may be called at any time, from anywhere, more than once.
  package func stop() {
    stopping.continuation.finish()
  }

  /// Paths of sockets that are served, but whose file is gone or another's: nobody can reach them any more.
  package var lostPaths: [String] { files.lost }

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
