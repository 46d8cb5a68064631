import ControlAPI
import HTTPRouting
import TextCoding

extension OpenAPI {
  /// The description of the control socket, made from the commands that it serves.
  init(_ commands: [CommandDescription], version: String) {
    let requestId = Parameter(
      ControlDefaults.requestIdHeader, in: .header, isRequired: false,
      meaning: "makes the request safe to repeat: a repeat has no further effect",
      schema: #"{"type":"string","minLength":1,"maxLength":200}"#)
    self.init(
      title: "settled control socket", version: version,
      summary: "HTTP/1.1 over a unix socket; peer credentials determine the caller's level.",
      operations: commands.map(\.operation),
      parameters: [("requestId", requestId)],
      errors: [ErrorShape(name: "problem", contentType: Problem.contentType, schema: Self.problemSchema)])
  }

  private static let problemSchema = #"""
    {"type":"object","required":["type","title","status","detail","rule"],"properties":\#
    {"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},\#
    "detail":{"type":"string"},"rule":{"type":"string"},"position":{"type":"integer"}}}
    """#
}

extension CommandDescription {
  fileprivate var operation: OpenAPI.Operation {
    let template = PathTemplate(path)
    let inPath = parameters.filter { template.parameters.contains($0.name) }
    let others = parameters.filter { !template.parameters.contains($0.name) }
    var operation = OpenAPI.Operation(method.rawValue, template, id: name, summary: summary)
    operation.annotations = [("x-level", JSONText.quoted(level.rawValue))]
    operation.parameters = inPath.map { $0.located(.path) }
    if method == .post {
      operation.parameters.append(OpenAPI.reference(to: "requestId", in: "parameters"))
      operation.body = (Self.bodySchema(others), others.contains(where: \.isRequired))
    } else {
      operation.parameters += others.map { $0.located(.query) }
    }
    operation.responses = [
      ("200", OpenAPI.success(answer.json)), ("default", OpenAPI.reference(to: "problem", in: "responses")),
    ]
    return operation
  }

  private static func bodySchema(_ parameters: [CommandParameter]) -> String {
    let properties = parameters.map { parameter in
      let members = [("type", parameter.typeName), ("description", parameter.meaning)]
      return (parameter.name, JSONText.object(members.map { ($0, JSONText.quoted($1)) }))
    }
    return JSONText.object([
      ("type", JSONText.quoted("object")), ("properties", JSONText.object(properties)),
      ("required", JSONText.array(parameters.filter(\.isRequired).map { JSONText.quoted($0.name) })),
      ("additionalProperties", "false"),
    ])
  }
}

extension CommandParameter {
  fileprivate func located(_ place: OpenAPI.Parameter.Place) -> String {
    let schema: AnswerSchema =
      switch kind {
      case .text: .text
      case .integer: .integer
      case .boolean: .boolean
      }
    return OpenAPI.Parameter(
      name, in: place, isRequired: place == .path || isRequired, meaning: meaning, schema: schema.json
    ).json
  }

  fileprivate var typeName: String {
    switch kind {
    case .text: "string"
    case .integer: "integer"
    case .boolean: "boolean"
    }
  }
}
