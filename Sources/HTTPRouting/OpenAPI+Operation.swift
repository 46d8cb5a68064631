package import ControlAPI
import TextCoding

extension OpenAPI {
  /// One method of one path.
  package struct Operation {
    package let method: String
    /// With its parameters in braces.
    let path: String
    package let id: String
    let summary: String
    /// Further members, such as the security: names and JSON.
    package var annotations: [(String, String)] = []
    /// Objects or references, as JSON.
    package var parameters: [String] = []
    package var body: (schema: String, isRequired: Bool)?
    /// By status or `default`, as JSON.
    package var responses: [(String, String)] = []

    package init(_ method: String, _ path: PathTemplate, id: String, summary: String) {
      self.method = method
      self.path = path.braced
      self.id = id
      self.summary = summary
    }

    var json: String {
      var members = [("operationId", JSONText.quoted(id)), ("summary", JSONText.quoted(summary))] + annotations
      members.append(("parameters", JSONText.array(parameters)))
      if let body {
        let content = OpenAPI.content(body.schema)
        members.append(
          ("requestBody", JSONText.object([("required", String(body.isRequired)), ("content", content)])))
      }
      return JSONText.object(members + [("responses", JSONText.object(responses))])
    }
  }

  /// A parameter of the path, the query or the header.
  package struct Parameter {
    package enum Place: String {
      case path, query, header
    }

    let name: String
    let place: Place
    let isRequired: Bool
    let meaning: String?
    let schema: String

    package init(
      _ name: String, in place: Place, isRequired: Bool, meaning: String? = nil, schema: String = #"{"type":"string"}"#
    ) {
      self.name = name
      self.place = place
      self.isRequired = isRequired
      self.meaning = meaning
      self.schema = schema
    }

    package var json: String {
      var members = [
        ("name", JSONText.quoted(name)), ("in", JSONText.quoted(place.rawValue)), ("required", String(isRequired)),
      ]
      if let meaning { members.append(("description", JSONText.quoted(meaning))) }
      return JSONText.object(members + [("schema", schema)])
    }
  }

  /// A response of success. `schema`: of its body; nil where it has none. `headers`: their names.
  package static func success(_ schema: String?, headers: [String] = []) -> String {
    var members = [("description", JSONText.quoted("done"))]
    if !headers.isEmpty {
      members.append(("headers", JSONText.object(headers.map { ($0, #"{"schema":{"type":"string"}}"#) })))
    }
    if let schema { members.append(("content", content(schema))) }
    return JSONText.object(members)
  }
}
