import Foundation
import Postgres
import TestSupport
import TextCoding

/// A world whose provider reaches a gateway over TCP.
final class WebhookWorld: Sendable {
  let proof: ProofWorld
  /// The base of the gateway.
  let callback: String
  let client: LoopbackClient
  private let gateway: LiveGateway
  private let web: SettledProcess

  init() async throws {
    proof = try await ProofWorld()
    gateway = try LiveGateway(proof.database, ["SETTLED_GATEWAY_LISTEN": "127.0.0.1:0"])
    web = try await gateway.start()
    guard let port = web.errors.text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap({ Int($0.1) }) else {
      throw TimeLimitError(description: "the gateway does not listen on TCP: \(web.errors.text)")
    }
    (callback, client) = ("http://127.0.0.1:\(port)", LoopbackClient(port: port))
  }

  func stop() async throws -> Bool {
    web.terminate()
    let isGood = try await web.exit() == .code(0)
    return try await proof.stop() && isGood
  }

  /// What both programs have logged so far.
  var logs: String { web.errors.text + proof.log }

  /// A person whose account at the provider has this number.
  func connected(_ name: String, as account: Int64) async throws -> ProofWorld.Person {
    let person = try await proof.person(name)
    try await proof.connect(person, code: try await proof.provider.authorize(account))
    try await proof.until(person, is: "active")
    return person
  }

  /// The subscription as `settlectl strava status` shows it: `active 120475`.
  func subscription() async throws -> String {
    let status = try JSONValue(try await proof.settlectl("strava", "status"))
    guard let shown = status["subscription"], shown != .null else { return "none" }
    return [shown["state"]?.text, shown["id"]?.integer.map { "\($0)" }].compactMap { $0 }.joined(separator: " ")
  }

  func subscribe() async throws -> Finished { try await proof.operate("strava", "subscribe", "--callback", callback) }

  /// The athlete's account withdraws the grant, by what a hint of the provider claims.
  func withdrawal(of account: Int64) async throws -> Int {
    try await proof.provider.hint(
      """
      {"object_type": "athlete", "object_id": \(account), "aspect_type": "update", "owner_id": \(account),
       "updates": {"authorized": "false"}}
      """
    ).status
  }

  func number(_ statement: Statement) async throws -> Int64 { try await proof.owner.query(statement).one(Int64.self) }
}
