import Foundation
import Postgres

/// JSON as a value, so that an answer is compared with the text of a document: by
/// keys and numbers in any form.
enum DocumentJSON: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([DocumentJSON])
  case object([String: DocumentJSON])

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  subscript(key: String) -> DocumentJSON {
    get throws {
      guard case .object(let members) = self, let value = members[key] else { throw Missing(key: key, value: self) }
      return value
    }
  }

  struct Missing: Error {
    let key: String
    let value: DocumentJSON
  }

  var elements: [DocumentJSON] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// A text or a whole number as it stands in a title or a count.
  var plain: String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(Int(number))"
    default: "\(self)"
    }
  }

  var count: Int {
    switch self {
    case .array(let elements): elements.count
    case .object(let members): members.count
    default: 0
    }
  }
}

extension DocumentJSON: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([DocumentJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: DocumentJSON].self))
    }
  }
}
