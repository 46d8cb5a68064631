import NIOCore
import NIOPosix
import Synchronization

/// A server of somebody else's, on a socket of the loopback: it does a thing once for each
/// request, and behaves badly on demand.
///
/// A request is a line with a key; the answer is a line with how often the thing was done for that key.
package final class ForeignServer: Sendable {
  package enum Act: Sendable, CaseIterable {
    case answer
    /// Refuses this key.
    case refuse
    /// Refuses everybody.
    case refuseAll
    /// Closes the connection before, or after, it has done the thing.
    case dieBefore, dieAfter
    /// Never answers, having done nothing.
    case hang
    /// Does the thing, and answers when `release` says so.
    case answerLate
  }

  private struct State {
    var done: [String: Int] = [:]
    var requests = 0
    var held: [CheckedContinuation<Void, Never>] = []
    var isReleased = false
  }

  private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private let state = Mutex(State())
  private let act: @Sendable (_ key: String, _ request: Int) -> Act
  private let running = Mutex<Task<Void, any Error>?>(nil)
  package let port: Int

  /// - Parameter act: what to do about a request, by its key and its number from 1.
  package init(_ act: @escaping @Sendable (_ key: String, _ request: Int) -> Act) async throws {
    self.act = act
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
      }
    port = server.channel.localAddress?.port ?? 0
    let task = Task { [weak self] in
      try await server.executeThenClose { clients in
        await withDiscardingTaskGroup { group in
          do {
            for try await client in clients { group.addTask { try? await self?.serve(client) } }
          } catch {}
        }
      }
    }
    running.withLock { $0 = task }
  }

  deinit { running.withLock { $0?.cancel() } }

  /// How often the thing was done for a key.
  package func done(_ key: String) -> Int { state.withLock { $0.done[key] ?? 0 } }

  package var requests: Int { state.withLock { $0.requests } }

  /// Lets everybody go whose answer is late or who hangs, from now on.
  package func release() {
    let held = state.withLock { state in
      state.isReleased = true
      defer { state.held = [] }
      return state.held
    }
    for waiting in held { waiting.resume() }
  }

  private func serve(_ client: Client) async throws {
    try await client.executeThenClose { requests, answers in
      var line = ""
      for try await piece in requests {
        line += String(buffer: piece)
        if line.hasSuffix("\n") { break }
      }
      let key = String(line.dropLast())
      let number = state.withLock { state in
        state.requests += 1
        return state.requests
      }
      if let answer = await answer(key, number) { try await answers.write(ByteBuffer(string: answer + "\n")) }
    }
  }

  /// Nil where the connection closes without a word.
  private func answer(_ key: String, _ request: Int) async -> String? {
    switch act(key, request) {
    case .answer: return "\(doThing(key))"
    case .refuse: return "refused"
    case .refuseAll: return "closed"
    case .dieBefore: return nil
    case .dieAfter:
      _ = doThing(key)
      return nil
    case .hang:
      await untilReleased()
      return nil
    case .answerLate:
      let count = doThing(key)
      await untilReleased()
      return "\(count)"
    }
  }

  private func doThing(_ key: String) -> Int {
    state.withLock { state in
      state.done[key, default: 0] += 1
      return state.done[key] ?? 0
    }
  }

  private func untilReleased() async {
    await withCheckedContinuation { waiting in
      let isReleased = state.withLock { state in
        if !state.isReleased { state.held.append(waiting) }
        return state.isReleased
      }
      if isReleased { waiting.resume() }
    }
  }
}

/// The end of a call to a `ForeignServer` without an answer.
package enum ForeignError: Error, CustomStringConvertible {
  case lost, refused, closed

  package var description: String {
    switch self {
    case .lost: "the connection ended without an answer"
    case .refused: "the foreign server refuses this item"
    case .closed: "the foreign server refuses everybody"
    }
  }
}

extension ForeignServer {
  /// Asks the server on a port; how often it has done the thing for the key.
  package static func ask(_ key: String, port: Int) async throws -> Int64 {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
      }
    let line = try await channel.executeThenClose { answers, request in
      try await request.write(ByteBuffer(string: key + "\n"))
      var line = ""
      for try await piece in answers { line += String(buffer: piece) }
      return line
    }
    try Task.checkCancellation()
    switch line {
    case "": throw ForeignError.lost
    case "refused\n": throw ForeignError.refused
    case "closed\n": throw ForeignError.closed
    default: return Int64(line.dropLast()) ?? 0
    }
  }
}
