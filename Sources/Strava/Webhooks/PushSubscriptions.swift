import AsyncHTTPClient
import Engine
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// The provider's subscriptions to its webhooks: an application has one at most.
struct PushSubscriptions: Sendable {
  struct Subscription: Decodable, Sendable, Equatable {
    let id: Int64
    let callbackUrl: String?
  }

  struct Reply<Value: Sendable>: Sendable {
    let value: Value
    let usage: [CallBudget.WindowUsage]
  }

  /// What the provider said to a wish for a subscription.
  enum Outcome: Sendable, Equatable {
    case made(Int64)
    /// It could not validate the callback.
    case unreachable
    /// There is one already.
    case exists
    case refused
  }

  private static let answerBytesMax = 64 * 1024
  private static let path = "/push_subscriptions"

  private let options: ProviderOptions
  private let caller: HTTPCaller

  init(_ options: ProviderOptions, time: Timekeeper) {
    self.options = options
    caller = HTTPCaller(base: options.apiBase, proxy: options.proxy, time: time)
  }

  /// The provider calls the address before it answers. Throws `ProviderFailure` where there is no definite answer.
  func subscribe(to address: String, verifyToken: String) async throws -> Reply<Outcome> {
    let form = client + [("callback_url", address), ("verify_token", verifyToken)]
    let answer = try await caller.call(Self.path, answerBytesMax: Self.answerBytesMax) { request in
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(ByteBuffer(string: FormCoding.encode(form)))
    }
    switch answer.status {
    case 200, 201:
      guard let made = Self.decoded(Subscription.self, answer.body), made.id > 0 else {
        throw ProviderFailure(.unreadable, usage: answer.usage)
      }
      return Reply(value: .made(made.id), usage: answer.usage)
    case 400 where TokenAnswer.refusedClient(answer.body) == nil, 422:
      return Reply(value: Self.refusal(answer.body), usage: answer.usage)
    default: throw answer.failure
    }
  }

  func list() async throws -> Reply<[Subscription]> {
    let answer = try await caller.call(
      "\(Self.path)?\(FormCoding.encode(client))", answerBytesMax: Self.answerBytesMax
    ) { _ in }
    guard answer.status == 200 else { throw answer.failure }
    guard let found = Self.decoded([Subscription].self, answer.body) else {
      throw ProviderFailure(.unreadable, usage: answer.usage)
    }
    return Reply(value: found, usage: answer.usage)
  }

  /// One that is not there counts as deleted.
  func delete(_ id: Int64) async throws -> [CallBudget.WindowUsage] {
    let answer = try await caller.call(
      "\(Self.path)/\(id)?\(FormCoding.encode(client))", answerBytesMax: Self.answerBytesMax
    ) { $0.method = .DELETE }
    guard [200, 204, 404].contains(answer.status) else { throw answer.failure }
    return answer.usage
  }

  private var client: [(String, String)] {
    [("client_id", options.clientID), ("client_secret", options.clientSecret)]
  }

  private static func decoded<Value: Decodable>(_: Value.Type, _ body: [UInt8]) -> Value? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(Value.self, from: Data(body))
  }

  private struct Refusal: Decodable {
    struct Item: Decodable {
      let field: String?
      let code: String?
    }

    let errors: [Item]?
  }

  private static func refusal(_ body: [UInt8]) -> Outcome {
    let items = decoded(Refusal.self, body)?.errors ?? []
    if items.contains(where: { $0.code?.lowercased() == "already exists" }) { return .exists }
    let isOfCallback = items.contains { $0.field?.lowercased().replacing("_", with: " ") == "callback url" }
    return isOfCallback ? .unreachable : .refused
  }
}
