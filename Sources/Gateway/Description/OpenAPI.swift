import ControlAPI
import TextCoding

/// The description of the gateway (OpenAPI 3.1), made from the routes that it serves.
struct OpenAPI {
  private let routes: [Route]
  private let publicURL: String
  /// The names of objects in `components`, by their JSON Schema.
  let names: [String: String]

  init(_ routes: [Route], publicURL: String) {
    self.routes = routes
    self.publicURL = publicURL
    names = Dictionary(Self.named.map { ($0.schema.json, $0.name) }) { first, _ in first }
  }

  var document: String {
    JSONText.object([
      ("openapi", JSONText.quoted("3.1.0")),
      (
        "info",
        JSONText.object([
          ("title", JSONText.quoted("settled gateway")), ("version", JSONText.quoted(Version.current)),
          (
            "description",
            JSONText.quoted(
              "The HTTP endpoints of the apps. Requests need an Authorization header where security says so.")
          ),
        ])
      ),
      ("servers", JSONText.array([JSONText.object([("url", JSONText.quoted(publicURL))])])),
      ("paths", paths),
      ("components", components),
    ])
  }

  /// One object for each path, with an operation for each of its methods.
  private var paths: String {
    var order: [String] = []
    var operations: [String: [(String, String)]] = [:]
    for route in routes {
      for prefix in route.prefixes {
        let path = Self.template("\(prefix)/\(route.path)")
        if operations[path] == nil { order.append(path) }
        operations[path, default: []].append((route.method.rawValue.lowercased(), operation(route, prefix)))
      }
    }
    return JSONText.object(order.map { ($0, JSONText.object(operations[$0] ?? [])) })
  }

  /// `/v1/users/{id}` of `/v1/users/:id`.
  private static func template(_ pattern: String) -> String {
    pattern.split(separator: "/").map { $0.hasPrefix(":") ? "/{\($0.dropFirst())}" : "/\($0)" }.joined()
  }

  private var components: String {
    JSONText.object([
      ("securitySchemes", #"{"bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT"}}"#),
      ("parameters", Self.headerParameters),
      ("responses", JSONText.object(systems.map { ("\($0.rawValue)Error", errorResponse($0)) })),
      (
        "schemas",
        JSONText.object(
          Self.named.map { ($0.name, $0.schema.definition(named: names)) }
            + systems.map { ("\($0.rawValue)Error", $0.errorSchema.json) })
      ),
    ])
  }

  /// Those that have routes here.
  private var systems: [System] {
    System.allCases.filter { system in routes.contains { $0.system == system } }
  }

  private func errorResponse(_ system: System) -> String {
    let content = JSONText.object([
      (
        system.errorContentType,
        JSONText.object([("schema", ##"{"$ref":"#/components/schemas/\##(system.rawValue)Error"}"##)])
      )
    ])
    return JSONText.object([("description", JSONText.quoted("not done")), ("content", content)])
  }

  private static let headerParameters = #"""
    {"requestId":{"name":"X-Request-Id","in":"header","required":false,\#
    "description":"stands in the log, and comes back","schema":{"type":"string"}},\#
    "idempotencyKey":{"name":"Idempotency-Key","in":"header","required":false,\#
    "description":"makes the request safe to repeat","schema":{"type":"string"}},\#
    "requiredIdempotencyKey":{"name":"Idempotency-Key","in":"header","required":true,\#
    "description":"makes the money move once","schema":{"type":"string"}}}
    """#
}
