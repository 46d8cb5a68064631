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

  private let state = Mutex(State())
  private let act: @Sendable (_ key: String, _ request: Int) -> Act
  private let listener = Mutex<(any Channel)?>(nil)
  package let port: Int

  /// - Parameter act: what to do about a request, by its key and its number from 1.
  package init(_ act: @escaping @Sendable (_ key: String, _ request: Int) -> Act) async throws {
    self.act = act
    let server = Box()
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Serving(server)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = listener.localAddress?.port ?? 0
    self.listener.withLock { $0 = listener }
    server.set(self)
  }

  deinit { listener.withLock { $0?.close(promise: nil) } }

  /// The server as its clients' handlers know it, which do not keep it.
  private final class Box: Sendable {
    private struct Weak { weak var server: ForeignServer? }

    private let weak = Mutex(Weak())

    func set(_ server: ForeignServer) { weak.withLock { $0.server = server } }

    var server: ForeignServer? { weak.withLock { $0.server } }
  }

  /// Reads a line, answers it, and closes.
  private final class Serving: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let box: Box
    private var line = ""
    private var isRead = false

    init(_ box: Box) { self.box = box }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isRead else { return }
      line += String(buffer: unwrapInboundIn(data))
      guard line.hasSuffix("\n") else { return }
      isRead = true
      Task { [box, channel = context.channel, key = String(line.dropLast())] in
        if let answer = await box.server?.answer(key) {
          try? await channel.writeAndFlush(ByteBuffer(string: answer + "\n"))
        }
        try? await channel.close()
      }
    }
  }

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

  /// Nil where the connection closes without a word.
  private func answer(_ key: String) async -> String? {
    let request = state.withLock { state in
      state.requests += 1
      return state.requests
    }
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
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
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
