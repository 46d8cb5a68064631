import AsyncHTTPClient
import Engine
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Postgres

/// The provider's tokens over HTTPS: OAuth 2 in the provider's own dialect (Strava.docc/Tokens.md, "Responses").
///
/// No answer is read beyond 64 KiB.
final class HTTPProvider: TokenProvider {
  static let answerBytesMax = 64 * 1024

  private let options: ProviderOptions
  private let caller: HTTPCaller

  init(_ options: ProviderOptions, time: Timekeeper) {
    self.options = options
    caller = HTTPCaller(base: options.oauthBase, proxy: options.proxy, time: time)
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
    if answer.status == 200 || answer.status == 400 && TokenAnswer.isRefusal(answer.body) {
      return ProviderReply(outcome: .revoked, usage: answer.usage)
    }
    throw answer.failure
  }

  /// - Parameter former: the refresh token that stays where the answer names none.
  private func token(_ form: [(String, String)], former: String?, at now: Timestamp) async throws -> ProviderReply {
    let client = [("client_id", options.clientID), ("client_secret", options.clientSecret)]
    let answer = try await post("/oauth/token", client + form, authorization: nil)
    switch answer.status {
    case 200:
      guard let pair = TokenAnswer.pair(in: answer.body, former: former, at: now) else {
        throw ProviderFailure(.unreadable, usage: answer.usage)
      }
      return ProviderReply(outcome: .tokens(pair), usage: answer.usage)
    case 400 where TokenAnswer.isRefusal(answer.body): return ProviderReply(outcome: .refused, usage: answer.usage)
    default: throw answer.failure
    }
  }

  private func post(
    _ path: String, _ form: [(String, String)], authorization: String?
  ) async throws -> HTTPCaller.Answer {
    try await caller.call(path, answerBytesMax: Self.answerBytesMax) { request in
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      if let authorization { request.headers.add(name: "Authorization", value: authorization) }
      request.body = .bytes(ByteBuffer(string: FormCoding.encode(form)))
    }
  }
}
