import ControlAPI
import Crypto
import HTTPServing
import Postgres

/// The routes that the provider of activities calls: it validates the path, and hints at changes.
///
/// Nobody signs hints. The secret in the path keeps strangers out; only its digest reaches the database.
/// Source: Strava.docc/Webhooks.md.
struct Webhooks: Sendable {
  private let answerAtMost: Duration
  private let surroundings: Surroundings
  private let paths: WebhookPaths

  init(_ surroundings: Surroundings, answerAtMost: Duration) {
    self.surroundings = surroundings
    self.answerAtMost = answerAtMost
    paths = WebhookPaths(surroundings)
  }

  /// For the paths: a reading that is under way and another one fit into `answerAtMost`.
  private var readAtMost: Duration { answerAtMost * 2 / 5 }

  var routes: [Route] { [validate, take].map(Self.unlimited) }

  /// A stranger's requests would use up a limit that the provider needs.
  private static func unlimited(_ route: Route) -> Route {
    var route = route
    route.limit = nil
    return route
  }

  private var validate: Route {
    Route(
      .get, "strava/webhook/:secret", of: .racepace, prefixes: [""], access: .secret(parameter: "secret"),
      query: [
        QueryParameter("hub.mode", "subscribe"), QueryParameter("hub.challenge", "is returned in the response"),
        QueryParameter("hub.verify_token", "proves that this installation requested the subscription"),
      ],
      refuses: [403: ["verify-token"], 404: ["path"], 503: ["unavailable"]],
      answer: .object(["hub.challenge": .text]), summary: "Lets the provider validate a subscription's path.",
      action: .work { call, database throws(GatewayError) in
        let token = Bytes(Self.digest(call.text("hub.verify_token") ?? ""))
        return try await answer(call, database) { path in
          "gateway.confirm_webhook(\(path), \(token), \(call.text("hub.mode")), \(call.text("hub.challenge")))"
        }
      })
  }

  private var take: Route {
    Route(
      .post, "strava/webhook/:secret", of: .racepace, prefixes: [""], access: .secret(parameter: "secret"),
      repetition: .plain,
      body: .object(
        [:],
        optional: [
          "object_type": .text, "object_id": .integer, "aspect_type": .text, "owner_id": .integer,
          "subscription_id": .integer, "updates": .anything, "event_time": .integer,
        ]),
      bodyLimit: .hint, refuses: [404: ["path"], 503: ["unavailable"]], answer: .object([:]),
      summary: "Receives a change hint from the provider; an unknown subscription, owner or kind is ignored.",
      action: .work { call, database throws(GatewayError) in
        try await answer(call, database) { path in "gateway.take_hint(\(path), \(fragment: call.json))" }
      })
  }

  /// Runs the call for the path's digest, within the time that the provider waits. Throws 404 for an unknown path.
  private func answer(
    _ call: Call, _ database: Database, _ expression: (Bytes) -> Statement
  ) async throws(GatewayError) -> Response {
    // A token that has ended is refused here as on every other route.
    if let caller = call.caller, caller.account != nil {
      _ = try await database.answer(CallStatement.make("to_jsonb(true)", caller: caller, key: nil))
    }
    let began = surroundings.now()
    let digest = Self.digest(call["secret"])
    let isKnown = try await paths.knows(Self.hex(digest)) { () async throws(GatewayError) in
      let read = CallStatement.make("gateway.webhook_paths()", caller: nil, key: nil)
      return try Self.texts(try await database.answerHint(read, within: readAtMost))
    }
    guard isKnown else { throw .path }
    let left = answerAtMost - (surroundings.now() - began)
    let statement = CallStatement.make(expression(Bytes(digest)), caller: nil, key: nil)
    let answer = try await database.answerHint(statement, within: max(left, .milliseconds(1)))
    return Response(status: 200, contentType: "application/json", body: answer ?? "{}")
  }

  /// The texts of an array.
  private static func texts(_ answer: String?) throws(GatewayError) -> Set<String> {
    guard let elements = (try? StrictJSON(Array((answer ?? "").utf8)))?.elements else {
      throw .bug("the database did not return an array of paths")
    }
    return Set(elements.compactMap(\.text))
  }

  private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
