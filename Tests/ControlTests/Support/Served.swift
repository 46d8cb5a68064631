import ControlServer
import Foundation
import HTTPServing
import Synchronization

/// A server on both of its sockets, for the length of a test.
enum Served {
  static let readers: UInt32 = 40001
  static let operators: UInt32 = 40002
  static let admins: UInt32 = 40003

  static func authorizer(ownUser: UInt32 = 40000, readers: UInt32 = readers) -> Authorizer {
    Authorizer(ownUser: ownUser, readers: readers, operators: operators, admins: admins)
  }

  static func configuration(_ directory: Directory) -> ControlServerConfiguration {
    ControlServerConfiguration(
      health: .path(directory.health), control: .path(directory.control), authorizer: authorizer(), version: "1.2.3")
  }

  /// Runs the body while the server serves, then stops it gracefully and waits until it has ended.
  static func run<Value: Sendable>(
    _ runner: StubRunner = StubRunner(), health: StubHealth = StubHealth(), limits: ServingLimits = ServingLimits(),
    authorizer: Authorizer = authorizer(), observe: @escaping @Sendable (ControlObservation) -> Void = { _ in },
    _ body: (Directory, ControlServer) async throws -> Value
  ) async throws -> Value {
    let directory = try Directory()
    var configuration = configuration(directory)
    configuration.limits = limits
    configuration.authorizer = authorizer
    let server = ControlServer(configuration: configuration, runner: runner, health: health, observe: observe)
    let running = try await start(server)
    let result: Result<Value, any Error>
    do { result = .success(try await body(directory, server)) } catch { result = .failure(error) }
    server.stop()
    try await running.value
    return try result.get()
  }

  /// The task that runs it, once it is ready. Throws what starting it throws.
  static func start(_ server: ControlServer) async throws -> Task<Void, any Error> {
    let (ready, signal) = AsyncThrowingStream.makeStream(of: Void.self)
    let running = Task {
      do {
        try await server.run { signal.finish() }
      } catch {
        signal.finish(throwing: error)
        throw error
      }
    }
    for try await _ in ready {}
    return running
  }
}
