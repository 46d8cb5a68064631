import ControlAPI
import HTTPServing
import Postgres

/// The routes that describe the gateway: its description, and the keys that its tokens are verified with.
enum DescriptionRoutes {
  /// The routes to serve beside these. The description has exactly the routes that are served, its own among them.
  static func beside(_ served: [Route], keys: [PublicSigningKey], publicURL: String) -> [Route] {
    let jwks = route(
      ".well-known/jwks.json", PublicSigningKey.jwks(of: keys), answer: .object(["keys": .array(.anything)]),
      summary: "The public keys for verifying the gateway's own tokens (RFC 7517), current key first.")
    let all = served + [jwks, openAPI("")]
    return [jwks, openAPI(GatewayDescription.document(all, publicURL: publicURL))]
  }

  private static func openAPI(_ document: String) -> Route {
    route("openapi.json", document, answer: .anything, summary: "This description.")
  }

  private static func route(_ path: String, _ body: String, answer: AnswerSchema, summary: String) -> Route {
    Route(
      .get, path, of: .racepace, prefixes: [""], access: .everybody, answer: answer, summary: summary,
      action: .work { call, database throws(GatewayError) in
        // A token that has ended is refused here as on every other public read.
        if let caller = call.caller, caller.account != nil {
          _ = try await database.answer(CallStatement.make("to_jsonb(true)", caller: caller, key: nil))
        }
        return Response(status: 200, contentType: "application/json", body: body)
      })
  }
}
