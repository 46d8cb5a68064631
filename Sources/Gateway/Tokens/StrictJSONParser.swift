/// Reads `StrictJSON`.
struct StrictJSONParser: JSONReader {
  let bytes: [UInt8]
  var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() throws(StrictJSONError) -> StrictJSON {
    let value = try value(depth: 1)
    skipSpace()
    guard position == bytes.count else { throw error("something follows the end") }
    return value
  }

  private mutating func value(depth: Int) throws(StrictJSONError) -> StrictJSON {
    guard depth <= StrictJSON.depthMax else { throw error("is nested too deeply") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(depth: Int) throws(StrictJSONError) -> StrictJSON {
    position += 1
    var members: [String: StrictJSON] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("a name is missing") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw error("a colon is missing") }
      let value = try value(depth: depth + 1)
      guard members.updateValue(value, forKey: name) == nil else { throw error("a name is there twice") }
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw error("a comma or } is missing") }
    }
  }

  private mutating func array(depth: Int) throws(StrictJSONError) -> StrictJSON {
    position += 1
    var elements: [StrictJSON] = []
    skipSpace()
    if take("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw error("a comma or ] is missing") }
    }
  }

  private mutating func word(_ word: StaticString, _ value: StrictJSON) throws(StrictJSONError) -> StrictJSON {
    for byte in word.description.utf8 {
      guard next == byte else { throw error("is no JSON value") }
      position += 1
    }
    return value
  }

  private mutating func number() throws(StrictJSONError) -> String {
    let start = position
    _ = take("-")
    if !take("0") { guard digits() else { throw error("is no JSON value") } }
    if take(".") { guard digits() else { throw error("a number ends with its point") } }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      guard digits() else { throw error("a number has no exponent after its e") }
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = next, (48...57).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func string() throws(StrictJSONError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw error("a text is not UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      case ..<0x20: throw error("a text has a control character")
      default: text.append(byte)
      }
    }
    throw error("a text does not end")
  }

  private mutating func escape(into text: inout [UInt8]) throws(StrictJSONError) {
    guard let byte = next else { throw error("a text does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try scalar()).utf8))
    default: throw error("a text has an escape that JSON does not know")
    }
  }

  private mutating func scalar() throws(StrictJSONError) -> Character {
    do {
      return Character(try escapedScalar())
    } catch {
      switch error {
      case .digits: throw self.error("an escape has four hexadecimal digits")
      case .surrogate: throw self.error("a text has half a pair of surrogates")
      }
    }
  }

  private func error(_ problem: String) -> StrictJSONError {
    StrictJSONError(line: bytes.prefix(position).count { $0 == 0x0A } + 1, problem: problem)
  }
}
