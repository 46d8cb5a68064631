import Foundation

/// JSON as a value; whole numbers that fit stay whole.
package indirect enum JSONTree: Decodable, Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([JSONTree])
  case object([String: JSONTree])

  package init(_ text: String) throws {
    self = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Texts are what there is most of; an attempt that fails takes time.
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
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  package subscript(_ name: String) -> JSONTree? { members[name] }

  /// Those of an object; of anything else none.
  package var members: [String: JSONTree] {
    if case .object(let members) = self { members } else { [:] }
  }

  package var elements: [JSONTree] {
    if case .array(let elements) = self { elements } else { [] }
  }

  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
