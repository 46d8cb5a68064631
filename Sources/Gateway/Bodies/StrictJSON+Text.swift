import ControlAPI
import TextCoding

extension StrictJSON {
  /// The value as JSON, without white space.
  var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): JSONText.array(elements.map(\.json))
    case .object(let members): JSONText.object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
    }
  }
}
