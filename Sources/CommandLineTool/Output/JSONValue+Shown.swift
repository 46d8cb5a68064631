import TextCoding

extension JSONValue {
  /// The value for people: short, and without quotation marks.
  var shown: String {
    switch self {
    case .null: "-"
    case .boolean(let flag): flag ? "yes" : "no"
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .text(let text): text
    case .array(let elements): elements.isEmpty ? "-" : elements.map(\.shown).joined(separator: ", ")
    case .object(let members): members.sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1.shown)" }.joined(separator: ", ")
    case .encoded(let json): json
    }
  }

  var pounds: String {
    if case .integer(let pence) = self { Sterling.text(pence) } else { shown }
  }
}
