import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Calls the daemon over its control socket: one connection per request.
package struct ControlClient: Sendable {
  /// One thread for all requests of the process: to start and end one for each took most of a short request's time.
  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  package let path: String
  private let connectAtMost: Duration
  private let answerAtMost: Duration
  private let bytesMax: Int

  /// The daemon itself gives up after 60 s with an error; `answerAtMost` leaves time for that.
  ///
  /// `bytesMax` is more than any answer needs: a broken daemon must not fill the client's memory.
  package init(
    path: String, connectAtMost: Duration = .seconds(2), answerAtMost: Duration = .seconds(65),
    bytesMax: Int = 256 * 1024 * 1024
  ) {
    self.bytesMax = bytesMax
    self.path = path
    self.connectAtMost = connectAtMost
    self.answerAtMost = answerAtMost
  }

  package func send(_ request: ControlRequest) async throws(ControlClientError) -> ControlResponse {
    let loop = Self.group.next()
    let answer = loop.makePromise(of: ControlResponse.self)
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop)
        .connectTimeout(TimeAmount(connectAtMost))
        .channelInitializer { [path, bytesMax] channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(
              AnswerReader(request, path: path, bytesMax: bytesMax, answer: answer))
          }
        }
        .connect(unixDomainSocketPath: path).get()
    } catch {
      answer.fail(error)
      throw connectError(error)
    }
    let timer = loop.scheduleTask(in: TimeAmount(answerAtMost)) { [path, answerAtMost] in
      answer.fail(ControlClientError(.noAnswer, path: path, "no data arrived within \(answerAtMost)"))
    }
    defer {
      timer.cancel()
      channel.close(promise: nil)
    }
    do {
      return try await answer.futureResult.get()
    } catch let error as ControlClientError {
      throw error
    } catch let error as IOError {
      throw ControlClientError(.noAnswer, path: path, String(cString: strerror(error.errnoCode)))
    } catch {
      throw ControlClientError(.noAnswer, path: path, "\(error)")
    }
  }

  /// A daemon keeps `PATH.lock` next to its socket while it runs: it may be running although its socket's file was
  /// removed.
  private static func absence(of path: String) -> String {
    access(path + ".lock", F_OK) == 0
      ? "the socket does not exist, but its lock file does: the daemon may be running without its socket; "
        + "systemctl restart settled creates a new one"
      : "the socket does not exist"
  }

  private func connectError(_ error: any Error) -> ControlClientError {
    if let error = error as? IOError {
      switch error.errnoCode {
      case EACCES, EPERM:
        return ControlClientError(.denied, path: path, "permission denied: " + SocketDenial.reason(path))
      case ENOENT: return ControlClientError(.unreachable, path: path, Self.absence(of: path))
      case EAGAIN:
        return ControlClientError(.noAnswer, path: path, "too many connections are waiting for the daemon")
      case ECONNREFUSED: return ControlClientError(.unreachable, path: path, "no process is listening on the socket")
      case let code: return ControlClientError(.unreachable, path: path, String(cString: strerror(code)))
      }
    }
    if error is ChannelError {
      return ControlClientError(.unreachable, path: path, "no connection within \(connectAtMost)")
    }
    return ControlClientError(.unreachable, path: path, "\(error)")
  }
}
