/// A request to a route, checked as far as that needs no database.
package struct Call: Sendable {
  package let caller: Caller?
  /// The caller's token, for the route that answers with it.
  let token: String?
  /// The prefix under which the route was called: `/gread/v1`.
  package let prefix: String
  let values: [String: String]
  let query: [String: String]
  /// JSON; nil where the route wants none. An empty body is `{}` where no member is required.
  package let body: String?
  package let idempotencyKey: String?
  package let page: Page?
  /// Where the request came from; nil: this machine, by a unix socket.
  package let address: IPAddress?

  /// A parameter of the path.
  package subscript(_ parameter: String) -> String {
    guard let value = values[parameter] else { preconditionFailure("the path has no parameter \(parameter)") }
    return value
  }

  /// A parameter of the path that is an id; where it is none, the thing does not exist: 404 with its name as the rule.
  package func id(_ parameter: String, of thing: String) throws(GatewayError) -> Int64 {
    guard let id = Int64(self[parameter]), id > 0 else { throw .missing(thing) }
    return id
  }

  /// A parameter of the query; nil where it is absent or empty.
  package func text(_ name: String) -> String? {
    query[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The key of a route that requires one.
  package var requiredKey: String {
    guard let idempotencyKey else { preconditionFailure("the route does not require a key") }
    return idempotencyKey
  }
}
