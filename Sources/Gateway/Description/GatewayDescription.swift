import ControlAPI
import HTTPRouting

/// The description of the gateway, made from the routes that it serves.
enum GatewayDescription {
  /// Objects that have a name in the description; each JSON Schema has one.
  static let named: [(name: String, schema: AnswerSchema)] =
    RacepaceSchema.named + [("Session", SignIn.session)] + TeamSchema.named + GReadSchema.named + CheckIn.named

  static func document(_ routes: [Route], publicURL: String) -> String {
    let names = Dictionary(named.map { ($0.schema.json, $0.name) }) { first, _ in first }
    let systems = System.allCases.filter { system in routes.contains { $0.system == system } }
    var description = OpenAPI(
      title: "settled gateway", version: Version.current,
      summary: """
        HTTP endpoints for the apps. Requests need an Authorization header if security requires one. Text must not \
        contain U+0000. A refusal names its rule; x-rules lists the rules that depend on the route. For status 400, \
        the rule is the name of the member or parameter.
        """,
      operations: routes.flatMap(\.mounted).map { $0.operation(named: names) }, parameters: headerParameters,
      errors: systems.map { .init(name: $0.errorName, contentType: $0.errorContentType, schema: $0.errorSchema.json) })
    description.servers = [publicURL]
    description.securitySchemes = #"{"bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT"}}"#
    description.schemas = named.map { ($0.name, $0.schema.definition(named: names)) }
    return description.document
  }

  private static let headerParameters: [(name: String, parameter: OpenAPI.Parameter)] = [
    header("requestId", "X-Request-Id", "appears in the log and in the response", requestId),
    header("idempotencyKey", "Idempotency-Key", "makes the request safe to repeat", IdempotencyKeys.schema),
    header(
      "requiredIdempotencyKey", "Idempotency-Key", "ensures that the money moves only once", IdempotencyKeys.schema,
      isRequired: true),
  ]

  /// A new id replaces any other value.
  private static let requestId = AnswerSchema.text.meaning(
    "1 to \(ControlDefaults.requestIdCharactersMax) visible ASCII characters; any other value is replaced by a new id"
  ).example("4f1c2a90")

  private static func header(
    _ name: String, _ header: String, _ meaning: String, _ schema: AnswerSchema, isRequired: Bool = false
  ) -> (name: String, parameter: OpenAPI.Parameter) {
    (name, OpenAPI.Parameter(header, in: .header, isRequired: isRequired, meaning: meaning, schema: schema.json))
  }
}
