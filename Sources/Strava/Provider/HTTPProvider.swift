import AsyncHTTPClient
import Engine
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Postgres

/// The provider over HTTPS: tokens by OAuth 2, in the provider's own dialect (rules/strava.md).
///
/// Every call ends within 8 s, and no answer is read beyond 64 KiB. Certificates are verified. No redirect is followed,
/// because it would carry credentials to another place.
final class HTTPProvider: TokenProvider {
  static let callTimeMax: TimeAmount = .seconds(8)
  static let answerBytesMax = 64 * 1024

  private let options: ProviderOptions
  private let client: HTTPClient

  init(_ options: ProviderOptions) {
    self.options = options
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(6)),
      connectionPool: .init(idleTimeout: .seconds(10)), proxy: Self.proxy(options), decompression: .disabled)
    // A call is not made again behind our back.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { client.shutdown { _ in } }

  private static func proxy(_ options: ProviderOptions) -> HTTPClient.Configuration.Proxy? {
    guard options.oauthBase.hasPrefix("https://"), let proxy = options.proxy,
      let colon = proxy.lastIndex(of: ":"), let port = Int(proxy[proxy.index(after: colon)...])
    else { return nil }
    return .server(host: String(proxy[..<colon]), port: port)
  }

  func exchange(_ code: String, at now: Timestamp) async throws -> ProviderReply {
    try await token([("grant_type", "authorization_code"), ("code", code)], former: nil, at: now)
  }

  func refresh(_ token: String, at now: Timestamp) async throws -> ProviderReply {
    try await self.token([("grant_type", "refresh_token"), ("refresh_token", token)], former: token, at: now)
  }

  func revoke(_ token: String, at now: Timestamp) async throws -> ProviderReply {
    let credentials = Data("\(options.clientID):\(options.clientSecret)".utf8).base64EncodedString()
    let answer = try await post("/oauth/revoke", [("token", token)], authorization: "Basic \(credentials)")
    // A token that the provider does not know needs no revoking.
    if answer.status == 200 || answer.status == 400 || answer.status == 404 {
      return ProviderReply(outcome: .revoked, told: answer.told)
    }
    throw failure(answer)
  }

  /// - Parameter former: the refresh token that stays where the answer names none.
  private func token(_ form: [(String, String)], former: String?, at now: Timestamp) async throws -> ProviderReply {
    let client = [("client_id", options.clientID), ("client_secret", options.clientSecret)]
    let answer = try await post("/oauth/token", client + form, authorization: nil)
    switch answer.status {
    case 200:
      guard let pair = TokenAnswer.pair(in: answer.body, former: former, at: now) else {
        throw ProviderFailure(.unreadable, told: answer.told)
      }
      return ProviderReply(outcome: .tokens(pair), told: answer.told)
    case 400 where TokenAnswer.isRefusal(answer.body): return ProviderReply(outcome: .refused, told: answer.told)
    default: throw failure(answer)
    }
  }

  private struct Answer {
    let status: UInt
    let body: [UInt8]
    let told: [CallBudget.Told]
  }

  private func failure(_ answer: Answer) -> ProviderFailure {
    switch answer.status {
    case 401: ProviderFailure(.client, told: answer.told)
    case 429: ProviderFailure(.limit, told: answer.told)
    case 500...: ProviderFailure(.server, told: answer.told)
    case 400..<500: ProviderFailure(.refused, told: answer.told)
    default: ProviderFailure(.unreadable, told: answer.told)
    }
  }

  private func post(_ path: String, _ form: [(String, String)], authorization: String?) async throws -> Answer {
    var request = HTTPClientRequest(url: options.oauthBase + path)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    request.headers.add(name: "Accept", value: "application/json")
    if let authorization { request.headers.add(name: "Authorization", value: authorization) }
    request.body = .bytes(ByteBuffer(string: FormCoding.encode(form)))
    let deadline = NIODeadline.now() + Self.callTimeMax
    let response: HTTPClientResponse
    do {
      response = try await client.execute(request, deadline: deadline)
    } catch {
      throw ProviderFailure(Self.wasNotSent(error) ? .unreachable : .lost)
    }
    let told = RateLimits.told(response.headers)
    let body: ByteBuffer
    do {
      body = try await response.body.collect(upTo: Self.answerBytesMax)
    } catch is NIOTooManyBytesError {
      throw ProviderFailure(.unreadable, told: told)
    } catch {
      throw ProviderFailure(.lost, told: told)
    }
    return Answer(status: response.status.code, body: Array(body.readableBytesView), told: told)
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
      return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
    }
    return error is NIOConnectionError || error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError
  }
}
