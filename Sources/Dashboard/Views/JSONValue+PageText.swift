import TextCoding

/// Members of an answer as text; a member that a former daemon does not have is shown as nothing.
extension JSONValue {
  /// The text, or the number or object as JSON; nothing for null.
  func shown(_ name: String) -> String {
    switch self[name] {
    case nil, .null: ""
    case .text(let text): text
    case .integer(let integer): String(integer)
    case let value?: value.serialized
    }
  }

  /// An id, a count or an amount of pence.
  func whole(_ name: String) -> Int64? { self[name]?.integer }

  func count(_ name: String) -> String { whole(name).map(Amount.grouped) ?? "" }

  func pounds(_ name: String) -> String { whole(name).map(Amount.pounds) ?? "" }

  func instant(_ name: String) -> Instant? { self[name]?.text.flatMap { Instant($0) } }

  func isTrue(_ name: String) -> Bool { if case .boolean(true)? = self[name] { true } else { false } }

  func list(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

  /// A distance, a place or a speed: never money, never an id.
  func measure(_ name: String) -> Double? {
    switch self[name] {
    case .integer(let integer): Double(integer)
    case .number(let number): number.isFinite ? number : nil
    default: nil
    }
  }

  /// The rows of a list: an array, or the member `rows`.
  var rows: [JSONValue] { if case .array(let rows) = self { rows } else { list("rows") } }

  /// The object, or nil for null.
  func object(_ name: String) -> JSONValue? {
    if case .object? = self[name] { self[name] } else { nil }
  }
}
