import Operations
import ControlServer
import HTTPServing
import Foundation
import Synchronization
import Testing

@Suite("Stopping, and commands that take long")
struct StopTests {
  /// A command that begins and then waits until it is released or cancelled.
  private final class Held: Sendable {
    let begun = AsyncStream.makeStream(of: Void.self)
    let released = AsyncStream.makeStream(of: Void.self)
    let wasCancelled = Mutex(false)

    func answer(_ call: CommandCall) async throws -> String {
      begun.continuation.finish()
      for await _ in released.stream {}
      if Task.isCancelled {
        wasCancelled.withLock { $0 = true }
        throw CancellationError()
      }
      return #"{"done":true}"#
    }

    func begin() async { for await _ in begun.stream {} }
  }

  private func start(
    _ directory: Directory, _ held: Held, limits: ServingLimits = ServingLimits()
  ) async throws -> (ControlServer, Task<Void, any Error>) {
    var configuration = Served.configuration(directory)
    configuration.limits = limits
    let server = ControlServer(
      configuration: configuration, runner: StubRunner(["drain": { try await held.answer($0) }]), health: StubHealth(),
      observe: { _ in })
    return (server, try await Served.start(server))
  }

  @Test func `a stop answers the request under way, closes idle connections and refuses new ones`() async throws {
    let (directory, held) = (try Directory(), Held())
    let (server, running) = try await start(directory, held)
    let idle = try RawClient(directory.control)
    await idle.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(await idle.read(until: "status") != nil)
    let client = try RawClient(directory.control)
    await client.send("POST /v1/drain HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
    await held.begin()
    server.stop()
    server.stop()
    #expect(await idle.rest() == "")
    #expect(throws: POSIXError.self) { try RawClient(directory.control) }
    held.released.continuation.finish()
    #expect(await client.rest()?.contains(#"{"done":true}"#) == true)
    try await running.value
    #expect(directory.contents == [])
  }

  @Test func `cancelling the server cancels requests under way and ends it`() async throws {
    let (directory, held) = (try Directory(), Held())
    let (server, running) = try await start(directory, held)
    let client = try RawClient(directory.control)
    await client.send("POST /v1/drain HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
    await held.begin()
    running.cancel()
    _ = await running.result
    #expect(held.wasCancelled.withLock { $0 })
    // There may be no answer any more, but the connection does not stay open.
    let answer = await client.rest()
    #expect(answer == "" || answer?.hasPrefix("HTTP/1.1 503") == true)
    #expect(directory.contents == [])
    withExtendedLifetime(server) {}
  }

  @Test func `a command that does not end in time is cancelled, and its caller gets an error`() async throws {
    let (directory, held) = (try Directory(), Held())
    var limits = ServingLimits()
    // A busy machine begins the command within it.
    limits.requestAtMost = .seconds(1)
    let (server, running) = try await start(directory, held, limits: limits)
    let answer = try await RawClient.exchange(directory.control, RawClient.post("/v1/drain", "{}"))
    #expect(answer?.hasPrefix("HTTP/1.1 503") == true)
    #expect(answer?.contains(#""rule":"timeout""#) == true)
    #expect(try await RawClient.exchange(directory.control, RawClient.get("/openapi.json"))?.contains(" 200 ") == true)
    server.stop()
    try await running.value
    #expect(held.wasCancelled.withLock { $0 })
  }

  @Test func `an error that is not a refusal goes to the journal and not to the caller`() async throws {
    struct Secret: Error {}
    let seen = Mutex<[String]>([])
    try await Served.run(
      StubRunner([
        "status": { _ in throw Secret() }, "jobs": { _ in throw CommandError(.refused, rule: "money", "no") },
      ]),
      observe: { if case .unexpected(_, let error) = $0 { seen.withLock { $0.append(error) } } }
    ) { directory, _ async throws in
      let bug = try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))
      #expect(bug?.hasPrefix("HTTP/1.1 500") == true)
      #expect(bug?.contains("Secret") == false)
      let refused = try await RawClient.exchange(directory.control, RawClient.get("/v1/jobs"))
      #expect(refused?.hasPrefix("HTTP/1.1 409") == true)
      #expect(refused?.contains(#""status":409,"detail":"no","rule":"money"}"#) == true)
    }
    #expect(seen.withLock { $0 } == ["Secret()"])
  }
}
