import NIOHTTP1
import TextCoding

extension World {
  static let pushPath = "/api/v3/push_subscriptions"

  /// Every call to the subscriptions needs the client's id and secret.
  mutating func pushes(_ call: ProviderCall) -> ProviderResponse {
    let given = call.method == "POST" ? call.form : call.query
    guard given["client_id"] == client.id, given["client_secret"] == client.secret else { return denied() }
    switch call.method {
    case "POST": return subscribe(given["callback_url"] ?? "", given["verify_token"] ?? "")
    case "GET":
      let all: [JSONValue] =
        subscriptions.present.map { one in
          [["id": .integer(one.id), "resource_state": 2, "callback_url": .text(one.callback)]]
        } ?? []
      return ProviderResponse(200, all)
    case "DELETE":
      let id = call.path.split(separator: "/").last.flatMap { Int64($0) } ?? 0
      return subscriptions.remove(id) ? ProviderResponse(204, body: "") : .notFound
    default: return .notFound
    }
  }

  private mutating func subscribe(_ callback: String, _ verifyToken: String) -> ProviderResponse {
    guard subscriptions.present == nil else {
      return .refusal(400, "Bad Request", "PushSubscription", "base", "already exists")
    }
    subscriptions.challenge = String(UInt64.random(in: 0 ... .max), radix: 16)
    var answer = ProviderResponse(201, body: "{}")
    let query = [
      ("hub.mode", "subscribe"), ("hub.challenge", subscriptions.challenge), ("hub.verify_token", verifyToken),
    ].map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
    answer.callback = OutgoingCall(method: .GET, url: "\(callback)?\(query)")
    return answer
  }

  /// What becomes of an answer once its own call has been answered.
  mutating func complete(
    _ answer: ProviderResponse, to call: ProviderCall, after outcome: OutgoingCall.Answer
  ) -> ProviderResponse {
    var answer = answer
    answer.callback = nil
    var final: ProviderResponse
    if call.ticket == nil {
      let reply: JSONValue = ["status": .integer(Int64(outcome.status)), "body": .text(outcome.body)]
      final = ProviderResponse(200, reply)
    } else if outcome.status == 200,
      (try? JSONValue(outcome.body))?["hub.challenge"]?.text == subscriptions.challenge
    {
      let id = subscriptions.add(call.form["callback_url"] ?? "", call.form["verify_token"] ?? "")
      let made: JSONValue = ["id": .integer(id)]
      final = ProviderResponse(201, made)
    } else {
      final = .refusal(
        400, "Bad Request", "PushSubscription", "callback url", "GET to callback URL does not return 200")
    }
    if answer.isIntact { (answer.status, answer.body) = (final.status, final.body) }
    return answer
  }

  /// Sends a hint to the callback; what it leaves out of subscription and time is added.
  func hint(_ given: JSONValue) -> ProviderResponse {
    guard let subscription = subscriptions.present, case .object(let members) = given else { return .notFound }
    let own: [(String, JSONValue)] = [
      ("subscription_id", .integer(subscription.id)), ("event_time", .integer(clock.now)),
    ]
    let all = members + own.filter { name, _ in !members.contains { $0.0 == name } }
    var answer = ProviderResponse.done
    answer.callback = OutgoingCall(method: .POST, url: subscription.callback, body: JSONValue.object(all).serialized)
    return answer
  }

  /// For attacks by somebody who knows what nobody should.
  var shownSubscription: ProviderResponse {
    guard let one = subscriptions.present else { return .notFound }
    let shown: JSONValue = [
      "id": .integer(one.id), "callbackUrl": .text(one.callback), "verifyToken": .text(one.verifyToken),
    ]
    return ProviderResponse(200, shown)
  }
}
