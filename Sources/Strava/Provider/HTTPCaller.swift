import Engine
import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Calls one host of the provider.
///
/// Every call ends within 8 s, or some seconds more where the process was stopped meanwhile. Certificates are verified.
/// No redirect is followed, because it would carry credentials to another place.
final class HTTPCaller: Sendable {
  static let callTimeMax: Duration = .seconds(8)

  private let base: String
  private let time: Timekeeper
  private let client: HTTPClient

  /// - Parameter proxy: `host:port`, for https; nil: none.
  init(base: String, proxy: String?, time: Timekeeper) {
    self.base = base
    self.time = time
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3)),
      connectionPool: .init(idleTimeout: .seconds(10)), proxy: Self.proxy(base, proxy), decompression: .disabled)
    // A call is not made again behind our back.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { client.shutdown { _ in } }

  private static func proxy(_ base: String, _ proxy: String?) -> HTTPClient.Configuration.Proxy? {
    guard base.hasPrefix("https://"), let proxy, let colon = proxy.lastIndex(of: ":"),
      let port = Int(proxy[proxy.index(after: colon)...])
    else { return nil }
    return .server(host: String(proxy[..<colon]), port: port)
  }

  struct Answer: Sendable {
    let status: UInt
    let body: [UInt8]
    let usage: [CallBudget.WindowUsage]
    let readUsage: [CallBudget.WindowUsage]

    /// The meaning of a reply that is not the one that was wanted.
    var failure: ProviderFailure {
      let refused = [400, 401, 403].contains(status) ? TokenAnswer.refusedClient(body) : nil
      var failure = ProviderFailure(kind, usage: usage, ofReads: readUsage)
      if let key = refused ?? (status == 401 ? .either : nil) { failure.refuseClient(key) }
      return failure
    }

    private var kind: ProviderFailure.Class {
      switch status {
      case 429: .limit
      case 500...: .server
      case 400..<500: .refused
      default: .unreadable
      }
    }
  }

  /// Throws `ProviderFailure` where no answer came, or one longer than `answerBytesMax`.
  func call(
    _ path: String, answerBytesMax: Int, _ complete: (inout HTTPClientRequest) -> Void
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: base + path)
    request.headers.add(name: "Accept", value: "application/json")
    complete(&request)
    return try await withThrowingTaskGroup(of: Answer?.self) { [request, time] group in
      group.addTask { try await self.answer(to: request, answerBytesMax: answerBytesMax) }
      group.addTask {
        try? await time.timeOut(after: Self.callTimeMax)
        return nil
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() ?? nil else { throw ProviderFailure(.lost) }
      return answer
    }
  }

  private func answer(to request: HTTPClientRequest, answerBytesMax: Int) async throws -> Answer {
    let response: HTTPClientResponse
    do {
      // The time is the caller's: the client's own timers fire before it looks at what has come.
      response = try await client.execute(request, deadline: .distantFuture)
    } catch {
      throw ProviderFailure(Self.wasNotSent(error) ? .unreachable : .lost)
    }
    let usage = ProviderLimits.usage(response.headers)
    let ofReads = ProviderLimits.usage(response.headers, "X-ReadRateLimit")
    do {
      let body = try await response.body.collect(upTo: answerBytesMax)
      return Answer(
        status: response.status.code, body: Array(body.readableBytesView), usage: usage, readUsage: ofReads)
    } catch is NIOTooManyBytesError {
      throw ProviderFailure(.unreadable, usage: usage, ofReads: ofReads)
    } catch {
      throw ProviderFailure(.lost, usage: usage, ofReads: ofReads)
    }
  }

  /// Whether the error came before a connection: then the provider has seen nothing.
  private static func wasNotSent(_ error: any Error) -> Bool {
    if let error = error as? HTTPClientError {
      return [
        .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout,
        .invalidProxyResponse, .proxyAuthenticationRequired, .invalidURL, .emptyHost,
      ].contains(error)
    }
    if let error = error as? IOError {
      return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
    }
    // Other errors of TLS may come after the request.
    if case .handshakeFailed = error as? NIOSSLError { return true }
    return error is NIOConnectionError || error is NIOSSLExtraError
  }
}
