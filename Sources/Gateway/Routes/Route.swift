package import ControlAPI
package import HTTPServing
package import Postgres

/// One call of the documents, as plain data: what serves it, and what describes it.
package struct Route: Sendable {
  package enum Method: String, Sendable, CaseIterable, Comparable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    package static func < (left: Method, right: Method) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// The treatment of an Idempotency-Key.
  package enum Repetition: Sendable {
    /// Nothing: the call reads, or has the same effect each time.
    case plain
    /// The same request again is answered as the first time, where there is a key and a token.
    case kept
    /// The call needs the key, for money: without one it is 400.
    case required
  }

  package enum Action: Sendable {
    /// An SQL expression of type jsonb, as `gateway.racepace_user(\(id))`: its text is the answer.
    case call(@Sendable (Call) throws(GatewayError) -> Statement)
    /// Work that is more than one call, as logging in.
    case work(@Sendable (Call, Database) async throws(GatewayError) -> Response)
  }

  package var method: Method
  /// Below the prefixes, without a slash at its beginning: `users/:id/strava`.
  package var path: String
  package var system: System
  /// Where it is mounted.
  package var prefixes: [String]
  package var access: Access
  package var repetition: Repetition
  package var paging: Paging?
  /// The other parameters that may stand in the query, by name.
  package var query: [QueryParameter]
  /// Nil: a body is not looked at.
  package var bodySchema: AnswerSchema?
  package var bodyLimit: BodyLimit
  /// The rules by which its functions refuse a good request, by status; those of `access` come to them.
  package var refusals: [Int: [String]]
  package var successStatus: Int
  package var otherSuccess: OtherSuccess?
  /// Nil: the answer has no body.
  package var answerSchema: AnswerSchema?
  package var summary: String
  /// Whether a gateway may be configured without what the call needs: it is 501 then.
  package var needsConfiguration: Bool
  /// The rate limit that it counts for; nil: none, because it reads.
  package var limit: Limit?
  package var action: Action

  package init(
    _ method: Method, _ path: String, of system: System, prefixes: [String]? = nil, access: Access,
    repetition: Repetition? = nil, paging: Paging? = nil, query: [QueryParameter] = [], body: AnswerSchema? = nil,
    bodyLimit: BodyLimit = .usual, refuses: [Int: [String]] = [:], success: Int = 200,
    otherSuccess: OtherSuccess? = nil,
    answer: AnswerSchema?, summary: String, needsConfiguration: Bool = false, limit: Limit? = nil, action: Action
  ) {
    precondition(
      !path.hasPrefix("/") && !path.hasSuffix("/"), "a route's path must not begin or end with a slash: \(path)")
    self.method = method
    self.path = path
    self.system = system
    self.prefixes = prefixes ?? system.prefixes
    self.access = access
    self.repetition = repetition ?? (method == .post ? .kept : .plain)
    self.paging = paging
    self.query = query
    bodySchema = body
    self.bodyLimit = bodyLimit
    refusals = refuses
    successStatus = success
    self.otherSuccess = otherSuccess
    answerSchema = answer
    self.summary = summary
    self.needsConfiguration = needsConfiguration
    self.limit = limit ?? (method == .get ? nil : .writes)
    self.action = action
  }

  func success(_ call: Call) -> Int {
    guard let otherSuccess, otherSuccess.applies(call) else { return successStatus }
    return otherSuccess.status
  }

  /// Whether everybody may read it, so that it has an entity tag where no token is sent.
  var isPublicRead: Bool { method == .get && access == .everybody }
}

/// Another status of success, by what is asked.
package struct OtherSuccess: Sendable {
  let status: Int
  let applies: @Sendable (Call) -> Bool
}

/// How large a body may be.
package enum BodyLimit: Sendable {
  case usual
  case activity
  case hint
}

/// A parameter of a query, for the description.
package struct QueryParameter: Sendable {
  package let name: String
  package let meaning: String
  package let isRequired: Bool
  package let schema: AnswerSchema

  package init(_ name: String, _ meaning: String, isRequired: Bool = false, schema: AnswerSchema = .text) {
    self.name = name
    self.meaning = meaning
    self.isRequired = isRequired
    self.schema = schema
  }
}
