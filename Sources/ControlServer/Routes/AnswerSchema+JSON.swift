import ControlAPI

extension AnswerSchema {
  /// The shape as JSON Schema. Objects may get more members later, so it forbids none.
  var json: String {
    switch self {
    case .text: #"{"type":"string"}"#
    case .instant: #"{"type":"string","format":"date-time"}"#
    case .integer: #"{"type":"integer","format":"int64"}"#
    case .number: #"{"type":"number"}"#
    case .boolean: #"{"type":"boolean"}"#
    case .choice(let texts): #"{"type":"string","enum":\#(JSONText.array(texts.map(JSONText.quoted)))}"#
    case .array(let element): #"{"type":"array","items":\#(element.json)}"#
    case .members(let members): Self.object(members)
    case .nullable(let schema): #"{"anyOf":[\#(schema.json),{"type":"null"}]}"#
    case .anyOf(let schemas): #"{"anyOf":\#(JSONText.array(schemas.map(\.json)))}"#
    case .anything: "{}"
    }
  }

  private static func object(_ members: [Member]) -> String {
    JSONText.object([
      ("type", JSONText.quoted("object")),
      ("properties", JSONText.object(members.map { ($0.name, $0.schema.json) })),
      ("required", JSONText.array(members.filter(\.isRequired).map { JSONText.quoted($0.name) })),
    ])
  }
}
