package import Postgres

/// JSON that is built in code: every key that a shape names is there, null where there is nothing.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSONValue])
  /// Keys in the order in which they are shown.
  case object([(String, JSONValue)])
  /// JSON text as the database made it.
  case raw(JSON)

  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    left.text == right.text
  }

  package var json: JSON { JSON(text: text) }

  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): String(value)
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let pairs):
      "{" + pairs.map { Self.quoted($0.0) + ": " + $0.1.text }.joined(separator: ", ") + "}"
    case .raw(let json): json.text
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(nilLiteral: ()) { self = .null }

  package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  package static func instant(_ instant: Timestamp?) -> JSONValue { optional(instant?.description) }
}
