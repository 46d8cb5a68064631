/// Reads one JSON value (RFC 8259) as a sequence of events, and builds no value.
///
/// The caller judges what the grammar leaves open: members with one name, the size of a number, UTF-8.
package struct JSONReader {
  package enum Event: Equatable {
    case object, array, name, text, number, null
    case boolean(Bool)
    /// The end of an object, an array or the document.
    case end
  }

  private enum Place {
    case value, firstInside, behindName, behindValue
  }

  private let bytes: [UInt8]
  private let depthMax: Int
  private let valueDepthMax: Int
  private let valuesMax: Int
  private let takesNUL: Bool

  package private(set) var position = 0
  /// Where the latest value begins.
  package private(set) var start = 0
  /// Where the exponent's digits begin in the latest number; nil where it has none.
  package private(set) var exponent: Int?
  private var place = Place.value
  /// The open objects (true) and arrays (false).
  private var open: [Bool] = []
  private var values = 0
  private var token = 0..<0
  private var isEscaped = false
  private var unescaped: [UInt8] = []

  /// `depthMax`: the most open objects and arrays. `valueDepthMax`: the same, and a value inside them counts too.
  package init(
    _ bytes: [UInt8], depthMax: Int = .max, valueDepthMax: Int = .max, valuesMax: Int = .max, takesNUL: Bool = true
  ) {
    self.bytes = bytes
    self.depthMax = depthMax
    self.valueDepthMax = valueDepthMax
    self.valuesMax = valuesMax
    self.takesNUL = takesNUL
  }

  /// The number of open objects and arrays.
  package var depth: Int { open.count }

  /// The line of the position, from 1.
  package var line: Int { bytes.prefix(position).count { $0 == 0x0A } + 1 }

  /// The bytes of the latest name, text (both without escapes) or number.
  package var content: ArraySlice<UInt8> { isEscaped ? unescaped[...] : bytes[token] }

  /// The next event; after the end of the document, the end again.
  package mutating func next() throws(JSONFault) -> Event {
    if place == .value { return try value() }
    skipSpace()
    if place == .behindName {
      guard take(":") else { throw .colon }
      return try value()
    }
    guard let isObject = open.last else {
      guard position == bytes.count else { throw .trailing }
      return .end
    }
    if take(isObject ? "}" : "]") {
      open.removeLast()
      place = .behindValue
      return .end
    }
    if place == .behindValue { guard take(",") else { throw isObject ? .objectEnd : .arrayEnd } }
    return isObject ? try name() : try value()
  }

  private mutating func name() throws(JSONFault) -> Event {
    skipSpace()
    guard take("\"") else { throw .name }
    try string()
    place = .behindName
    return .name
  }

  private mutating func value() throws(JSONFault) -> Event {
    values += 1
    guard values <= valuesMax else { throw .values }
    guard open.count < valueDepthMax else { throw .depth }
    skipSpace()
    start = position
    place = .behindValue
    switch byte {
    case UInt8(ascii: "{"): return try enter(isObject: true)
    case UInt8(ascii: "["): return try enter(isObject: false)
    case UInt8(ascii: "\""):
      position += 1
      try string()
      return .text
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default:
      try number()
      return .number
    }
  }

  private mutating func enter(isObject: Bool) throws(JSONFault) -> Event {
    guard open.count < depthMax else { throw .depth }
    position += 1
    open.append(isObject)
    place = .firstInside
    return isObject ? .object : .array
  }

  private mutating func word(_ word: StaticString, _ event: Event) throws(JSONFault) -> Event {
    for expected in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard byte == expected else { throw .value }
      position += 1
    }
    return event
  }

  private mutating func number() throws(JSONFault) {
    (isEscaped, exponent) = (false, nil)
    _ = take("-")
    if !take("0") { guard digits() else { throw .value } }
    if take(".") { guard digits() else { throw .point } }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      exponent = position
      guard digits() else { throw .exponent }
    }
    token = start..<position
  }

  private mutating func digits() -> Bool {
    let first = position
    while let byte, (48...57).contains(byte) { position += 1 }
    return position > first
  }

  /// Reads to the quotation mark that ends the text.
  private mutating func string() throws(JSONFault) {
    isEscaped = false
    let first = position
    var plain = first
    while true {
      position = end(ofPlainFrom: position)
      guard let byte else { throw .textEnd }
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\") else { throw .control }
      // A new buffer, because a name that is kept would keep the room of the longest text.
      if !isEscaped { unescaped = [] }
      isEscaped = true
      unescaped.append(contentsOf: bytes[plain..<position - 1])
      let scalar = try escape()
      if scalar.isASCII { unescaped.append(UInt8(scalar.value)) } else { unescaped += String(scalar).utf8 }
      plain = position
    }
    token = first..<position - 1
    if isEscaped { unescaped.append(contentsOf: bytes[plain..<position - 1]) }
  }

  /// Where the first byte stands that is not simply part of a text.
  private func end(ofPlainFrom start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\") {
      end += 1
    }
    return end
  }

  private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
    guard let byte else { throw .textEnd }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scalar()
    default: throw .escape
    }
  }

  /// The character behind `\u`; a pair of surrogates is one character, and half a pair is an error.
  private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
    var code = try hexadecimal()
    if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw .surrogate }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw .surrogate }
    guard takesNUL || code != 0 else { throw .nul }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte, let digit = Self.digit(byte) else { throw .digits }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }
}
