import TextCoding

/// A description of what a socket serves (OpenAPI 3.1). Schemas are JSON Schema, as text.
package struct OpenAPI {
  /// The shape of the errors of some operations: their response and its schema have its name in `components`.
  package struct ErrorShape {
    let name: String
    let contentType: String
    let schema: String

    package init(name: String, contentType: String, schema: String) {
      self.name = name
      self.contentType = contentType
      self.schema = schema
    }
  }

  package let title: String
  package let version: String
  package let summary: String
  package var servers: [String] = []
  package var operations: [Operation]
  package var securitySchemes: String?
  /// Parameters that operations refer to by name.
  package var parameters: [(name: String, parameter: Parameter)]
  package var errors: [ErrorShape]
  package var schemas: [(name: String, schema: String)] = []

  package init(
    title: String, version: String, summary: String, operations: [Operation],
    parameters: [(name: String, parameter: Parameter)], errors: [ErrorShape]
  ) {
    self.title = title
    self.version = version
    self.summary = summary
    self.operations = operations
    self.parameters = parameters
    self.errors = errors
  }

  package var document: String {
    var members = [
      ("openapi", JSONText.quoted("3.1.0")),
      (
        "info",
        JSONText.object([
          ("title", JSONText.quoted(title)), ("version", JSONText.quoted(version)),
          ("description", JSONText.quoted(summary)),
        ])
      ),
    ]
    if !servers.isEmpty {
      members.append(("servers", JSONText.array(servers.map { JSONText.object([("url", JSONText.quoted($0))]) })))
    }
    return JSONText.object(members + [("paths", paths), ("components", components)])
  }

  /// One object for each path, with an operation for each of its methods.
  private var paths: String {
    var order: [String] = []
    var byPath: [String: [(String, String)]] = [:]
    for operation in operations {
      if byPath[operation.path] == nil { order.append(operation.path) }
      byPath[operation.path, default: []].append((operation.method.lowercased(), operation.json))
    }
    return JSONText.object(order.map { ($0, JSONText.object(byPath[$0] ?? [])) })
  }

  private var components: String {
    var members = securitySchemes.map { [("securitySchemes", $0)] } ?? []
    members.append(("parameters", JSONText.object(parameters.map { ($0.name, $0.parameter.json) })))
    members.append(("responses", JSONText.object(errors.map { ($0.name, Self.response(to: $0)) })))
    let all = schemas.map { ($0.name, $0.schema) } + errors.map { ($0.name, $0.schema) }
    members.append(("schemas", JSONText.object(all)))
    return JSONText.object(members)
  }

  private static func response(to error: ErrorShape) -> String {
    let content = content(reference(to: error.name, in: "schemas"), as: error.contentType)
    return JSONText.object([("description", JSONText.quoted("failed")), ("content", content)])
  }

  /// A body of this schema.
  package static func content(_ schema: String, as contentType: String = "application/json") -> String {
    JSONText.object([(contentType, JSONText.object([("schema", schema)]))])
  }

  /// `section`: of `components`.
  package static func reference(to name: String, in section: String) -> String {
    JSONText.object([("$ref", JSONText.quoted("#/components/\(section)/\(name)"))])
  }
}
