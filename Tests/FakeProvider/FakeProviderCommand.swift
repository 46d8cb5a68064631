import ArgumentParser
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A provider of tokens and activities for tests and the demo: it is held in memory, and behaves badly on demand.
@main struct FakeProviderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fake-provider",
    abstract: "Stand in for the provider of activities on the loopback, until SIGTERM.")

  @Option(help: "The port of 127.0.0.1; 0 takes any that is free.")
  var port = 0

  @Option(help: "The application's id.")
  var clientId = "4711"

  @Option(help: "The application's secret.")
  var clientSecret = "secret"

  mutating func run() async throws {
    for ending in [SIGTERM, SIGINT] { signal(ending) { _ in _exit(0) } }
    let provider = Provider(World(client: OAuthClient(id: clientId, secret: clientSecret)))
    let server = try await Self.serve(provider, port: port)
    Self.say("fake provider: http://127.0.0.1:\(server.localAddress?.port ?? 0)\n")
    try await server.closeFuture.get()
  }

  /// All connections share one thread, so that calls have one order.
  private static func serve(_ provider: Provider, port: Int) async throws -> any Channel {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Pipelining help would keep a client's end of the connection from being seen while it waits.
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
          try channel.pipeline.syncOperations.addHandler(CallHandler(provider))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
  }

  /// Writes past any buffer: who started us waits for the line.
  private static func say(_ line: String) {
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
