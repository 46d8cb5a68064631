import ControlAPI
import TextCoding

/// The description of the control socket (OpenAPI 3.1), made from the table of commands that it serves.
enum OpenAPI {
  static func document(_ commands: [CommandDescription], version: String) -> String {
    var paths: [String] = []
    var operations: [String: [(String, String)]] = [:]
    for command in commands {
      if operations[command.path] == nil { paths.append(command.path) }
      operations[command.path, default: []].append((command.method.rawValue.lowercased(), operation(command)))
    }
    return JSONText.object([
      ("openapi", quoted("3.1.0")),
      (
        "info",
        JSONText.object([
          ("title", quoted("settled control socket")), ("version", quoted(version)),
          ("description", quoted("HTTP/1.1 over a unix socket; levels by peer credentials.")),
        ])
      ),
      ("paths", JSONText.object(paths.map { ($0, JSONText.object(operations[$0] ?? [])) })),
      ("components", components),
    ])
  }

  private static func operation(_ command: CommandDescription) -> String {
    let inPath = Set(PathTemplate(command.path).parameters)
    var parameters = command.parameters.filter { inPath.contains($0.name) }.map { located($0, "path") }
    let others = command.parameters.filter { !inPath.contains($0.name) }
    if command.method == .post {
      parameters.append(##"{"$ref":"#/components/parameters/requestId"}"##)
    } else {
      parameters += others.map { located($0, "query") }
    }
    var members = [
      ("operationId", quoted(command.name)), ("summary", quoted(command.summary)),
      ("x-level", quoted(command.level.rawValue)), ("parameters", JSONText.array(parameters)),
    ]
    if command.method == .post { members.append(("requestBody", body(others))) }
    members.append(("responses", responses(command.answer)))
    return JSONText.object(members)
  }

  private static func located(_ parameter: CommandParameter, _ place: String) -> String {
    JSONText.object([
      ("name", quoted(parameter.name)), ("in", quoted(place)),
      ("required", place == "path" || parameter.isRequired ? "true" : "false"),
      ("description", quoted(parameter.meaning)), ("schema", schema(parameter)),
    ])
  }

  private static func body(_ parameters: [CommandParameter]) -> String {
    let properties = parameters.map { parameter in
      (
        parameter.name,
        JSONText.object([("type", quoted(type(parameter))), ("description", quoted(parameter.meaning))])
      )
    }
    let required = parameters.filter(\.isRequired).map(\.name)
    let schema = JSONText.object([
      ("type", quoted("object")), ("properties", JSONText.object(properties)),
      ("required", JSONText.array(required.map(quoted))), ("additionalProperties", "false"),
    ])
    return JSONText.object([
      ("required", required.isEmpty ? "false" : "true"),
      ("content", JSONText.object([("application/json", JSONText.object([("schema", schema)]))])),
    ])
  }

  private static func schema(_ parameter: CommandParameter) -> String {
    var members = [("type", quoted(type(parameter)))]
    if parameter.kind == .integer { members.append(("format", quoted("int64"))) }
    return JSONText.object(members)
  }

  private static func type(_ parameter: CommandParameter) -> String {
    switch parameter.kind {
    case .text: "string"
    case .integer: "integer"
    case .boolean: "boolean"
    }
  }

  private static func responses(_ answer: AnswerSchema) -> String {
    #"""
    {"200":{"description":"done","content":{"application/json":{"schema":\#(answer.json)}}},\#
    "default":{"$ref":"#/components/responses/problem"}}
    """#
  }

  private static let components = #"""
    {"parameters":{"requestId":{"name":"X-Request-Id","in":"header","required":false,\#
    "description":"makes the request safe to repeat: a repeated one has one effect",\#
    "schema":{"type":"string","minLength":1,"maxLength":200}}},\#
    "responses":{"problem":{"description":"not done","content":{"application/problem+json":\#
    {"schema":{"$ref":"#/components/schemas/problem"}}}}},\#
    "schemas":{"problem":{"type":"object","required":["type","title","status","detail","rule"],"properties":\#
    {"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},\#
    "detail":{"type":"string"},"rule":{"type":"string"}}}}}
    """#

  private static func quoted(_ text: String) -> String {
    JSONText.quoted(text)
  }
}
