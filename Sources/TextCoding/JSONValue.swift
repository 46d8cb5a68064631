import FoundationEssentials

/// A JSON value, read by Foundation's decoder or built in code. Whole numbers that fit stay whole.
package indirect enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([JSONValue])
  /// The members, in the order in which they are written; each name once.
  case object([(String, JSONValue)])
  /// JSON text that is written as it is, such as the database made it.
  case encoded(String)

  /// The first member of this name; nil where there is none.
  package subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members.first { $0.0 == name }?.1 } else { nil }
  }

  /// The members of an object by name; of anything else none.
  package var members: [String: JSONValue] {
    if case .object(let members) = self { Dictionary(members) { first, _ in first } } else { [:] }
  }

  package var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  /// The value as JSON text.
  package var serialized: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .text(let value): JSONText.quoted(value)
    case .array(let values): "[" + values.map(\.serialized).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { JSONText.quoted($0.0) + ": " + $0.1.serialized }.joined(separator: ", ") + "}"
    case .encoded(let json): json
    }
  }
}

extension JSONValue: Equatable {
  /// Equal as they are written; the order of members does not matter.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.object, .object): left.members == right.members
    case (.array(let left), .array(let right)): left == right
    default: left.serialized == right.serialized
    }
  }
}

extension JSONValue: Codable {
  package init(_ text: String) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Texts come first, because most values are texts, and a failed attempt takes time.
    if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(
        try container.decode([String: JSONValue].self).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object: try container.encode(members)
    case .encoded(let json): try container.encode(try JSONValue(json))
    }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
  package init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(stringLiteral value: String) { self = .text(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(nilLiteral: ()) { self = .null }

  package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.text) ?? .null }
}
