/// Any JSON: for members whose shape the tool need not know.
enum Value: Decodable, Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([Value])
  case object([String: Value])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([Value].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: Value].self))
    }
  }

  subscript(_ name: String) -> Value? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// For people: short, and without quotation marks.
  var text: String {
    switch self {
    case .null: "-"
    case .boolean(let flag): flag ? "yes" : "no"
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .text(let text): text
    case .array(let elements): elements.isEmpty ? "-" : elements.map(\.text).joined(separator: ", ")
    case .object(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
    }
  }

  var pounds: String {
    if case .integer(let pence) = self { Sterling.text(pence) } else { text }
  }
}
