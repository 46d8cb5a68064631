package import ControlAPI
import TextCoding

/// An OpenAPI document as far as ours go: what may be sent, and what may come back.
package struct OpenAPIDocument: Sendable {
  package struct Parameter: Sendable {
    package let name: String
    /// `path`, `query` or `header`.
    package let place: String
    package let isRequired: Bool
    package let schema: AnswerSchema
  }

  package struct Response: Sendable {
    /// Nil: the answer has no body.
    package let contentType: String?
    package let schema: AnswerSchema?
    /// Of a refusal: the rules that it may name.
    package let rules: [String]
  }

  package struct Operation: Sendable {
    package let id: String
    /// In capitals.
    package let method: String
    /// `/v1/users/{id}`
    package let path: String
    fileprivate let segments: [Substring]
    package let tag: String
    package let summary: String
    package let parameters: [Parameter]
    package let body: AnswerSchema?
    /// By status, and `default`.
    package let responses: [String: Response]

    package func response(_ status: Int) -> Response? { responses[String(status)] ?? responses["default"] }
  }

  package let operations: [Operation]
  /// The shapes of errors of all systems.
  package let errors: [Response]

  package init(_ text: String) throws {
    let root = try JSONValue(text)
    let reader = Reader(root: root)
    operations = (root["paths"]?.members ?? [:]).flatMap { path, item in
      item.members.map { reader.operation($0.key.uppercased(), path, $0.value) }
    }.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
    errors = (root["components"]?["responses"]?.members ?? [:]).values.map { reader.response($0) }
  }

  /// The operation of a path as it is called; literal segments win.
  package func operation(_ method: String, _ path: some StringProtocol) -> Operation? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    let wanted = method == "HEAD" ? "GET" : method
    let found = operations.filter { operation in
      operation.method == wanted && operation.segments.count == segments.count
        && zip(operation.segments, segments).allSatisfy { $0 == Substring($1) || ($0.hasPrefix("{") && !$1.isEmpty) }
    }
    return found.min { $0.path.count(where: { $0 == "{" }) < $1.path.count(where: { $0 == "{" }) }
  }
}

/// Follows references while it reads.
private struct Reader {
  let root: JSONValue

  func operation(_ method: String, _ path: String, _ value: JSONValue) -> OpenAPIDocument.Operation {
    OpenAPIDocument.Operation(
      id: value["operationId"]?.text ?? "", method: method, path: path,
      segments: path.split(separator: "/", omittingEmptySubsequences: false),
      tag: value["tags"]?.elements.first?.text ?? "", summary: value["summary"]?.text ?? "",
      parameters: (value["parameters"]?.elements ?? []).map { parameter(resolved($0)) },
      body: content(value["requestBody"]).map { schema($0.schema) },
      responses: (value["responses"]?.members ?? [:]).mapValues { response($0) })
  }

  private func parameter(_ value: JSONValue) -> OpenAPIDocument.Parameter {
    OpenAPIDocument.Parameter(
      name: value["name"]?.text ?? "", place: value["in"]?.text ?? "", isRequired: value["required"] == .boolean(true),
      schema: schema(value["schema"] ?? .null))
  }

  func response(_ value: JSONValue) -> OpenAPIDocument.Response {
    let content = content(resolved(value))
    return OpenAPIDocument.Response(
      contentType: content?.type, schema: content.map { schema($0.schema) },
      rules: (value["x-rules"]?.elements ?? []).compactMap(\.text))
  }

  private func content(_ value: JSONValue?) -> (type: String, schema: JSONValue)? {
    guard let content = value?["content"]?.members.first, let schema = content.value["schema"] else { return nil }
    return (content.key, schema)
  }

  /// The inverse of `AnswerSchema.json`.
  private func schema(_ value: JSONValue) -> AnswerSchema {
    let value = resolved(value)
    let shape = shape(value)
    return limits(value, of: shape).map { .limited(shape, $0) } ?? shape
  }

  /// Nil where a value has none.
  private func limits(_ value: JSONValue, of shape: AnswerSchema) -> AnswerSchema.Limits? {
    let names = [
      "pattern", "minLength", "maxLength", "maxItems", "minimum", "exclusiveMinimum", "maximum", "multipleOf",
      "additionalProperties", "description", "examples",
    ]
    guard names.contains(where: { value[$0] != nil }) else { return nil }
    var limits = AnswerSchema.Limits()
    limits.format = value["format"]?.text
    limits.pattern = value["pattern"]?.text
    limits.length = value["maxLength"]?.integer.map { Int(value["minLength"]?.integer ?? 0)...Int($0) }
    limits.countMax = value["maxItems"]?.integer.map { Int($0) }
    limits.minimum = (value["minimum"] ?? value["exclusiveMinimum"])?.serialized
    limits.isAbove = value["exclusiveMinimum"] != nil
    limits.maximum = value["maximum"]?.serialized
    limits.step = value["multipleOf"]?.serialized
    limits.isClosed = value["additionalProperties"] == .boolean(false)
    limits.meaning = value["description"]?.text
    limits.example = value["examples"]?.elements.first?.serialized
    return limits
  }

  private func shape(_ value: JSONValue) -> AnswerSchema {
    if let choices = value["anyOf"]?.elements {
      let others = choices.filter { $0["type"] != .text("null") }.map(schema)
      let one = others.count == 1 ? others[0] : .anyOf(others)
      return others.count < choices.count ? .nullable(one) : one
    }
    switch value["type"]?.text {
    case "string":
      if let choices = value["enum"]?.elements { return .choice(choices.compactMap(\.text)) }
      return value["format"] == .text("date-time") ? .instant : .text
    case "integer": return .integer
    case "number": return .number
    case "boolean": return .boolean
    case "array": return .array(schema(value["items"] ?? .null))
    case "object":
      let required = Set((value["required"]?.elements ?? []).compactMap(\.text))
      let members = (value["properties"]?.members ?? [:]).sorted { $0.key < $1.key }
      return .members(
        members.map {
          AnswerSchema.Member(name: $0.key, schema: schema($0.value), isRequired: required.contains($0.key))
        })
    case nil where value.members.isEmpty: return .anything
    default: preconditionFailure("a schema that the test does not know: \(value)")
    }
  }

  private func resolved(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"]?.text else { return value }
    let found = reference.split(separator: "/").dropFirst().reduce(root as JSONValue?) { $0?[String($1)] }
    guard let found else { preconditionFailure("a reference to nothing: \(reference)") }
    return resolved(found)
  }
}
