/// Checks that bytes are one JSON value (RFC 8259) that PostgreSQL's jsonb takes, and builds nothing of it.
///
/// jsonb keeps the last of two members with one name, and says nothing: here that is an error. Numbers are bounded,
/// because jsonb writes every digit of 1e100000. What is checked needs no more room than the names of open objects.
struct JSONScanner: JSONReader {
  struct Problem: Error {
    let text: String
  }

  enum Kind {
    case object, array, other
  }

  /// No body of ours comes near.
  private static let membersMax = 10_000
  /// In the whole body: the streams of an activity have 400,000 numbers at most. Each value costs PostgreSQL memory.
  private static let valuesMax = 450_000
  private static let numberBytesMax = 400
  private static let exponentMax = 400

  let bytes: [UInt8]
  private let depthMax: Int
  var position = 0
  private var values = 0

  private init(_ bytes: [UInt8], depthMax: Int) {
    self.bytes = bytes
    self.depthMax = depthMax
  }

  /// The kind of the value. Throws where it is none.
  static func check(_ bytes: [UInt8], depthMax: Int) throws(Problem) -> Kind {
    var scanner = JSONScanner(bytes, depthMax: depthMax)
    let kind = try scanner.value(depth: 0)
    scanner.skipSpace()
    guard scanner.position == bytes.count else { throw Problem(text: "something follows the end of the JSON") }
    return kind
  }

  private mutating func value(depth: Int) throws(Problem) -> Kind {
    values += 1
    guard values <= Self.valuesMax else { throw Problem(text: "the body has more than 450000 values") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      try object(depth: depth + 1)
      return .object
    case UInt8(ascii: "["):
      try array(depth: depth + 1)
      return .array
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
    return .other
  }

  private mutating func object(depth: Int) throws(Problem) {
    try enter(depth)
    if take("}") { return }
    var names: Set<ArraySlice<UInt8>> = []
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw Problem(text: "a member's name is missing") }
      let name = try string()
      guard names.insert(name).inserted else { throw Problem(text: "a member is given twice") }
      guard names.count <= Self.membersMax else { throw Problem(text: "an object has more than 10000 members") }
      skipSpace()
      guard take(":") else { throw Problem(text: "a colon is missing") }
      _ = try value(depth: depth)
      skipSpace()
    } while take(",")
    guard take("}") else { throw Problem(text: "a comma or } is missing") }
  }

  private mutating func array(depth: Int) throws(Problem) {
    try enter(depth)
    if take("]") { return }
    repeat {
      _ = try value(depth: depth)
      skipSpace()
    } while take(",")
    guard take("]") else { throw Problem(text: "a comma or ] is missing") }
  }

  private mutating func enter(_ depth: Int) throws(Problem) {
    guard depth <= depthMax else { throw Problem(text: "the JSON is nested deeper than \(depthMax)") }
    position += 1
    skipSpace()
  }

  private mutating func word(_ word: StaticString) throws(Problem) {
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard next == byte else { throw Problem(text: "the body is not JSON") }
      position += 1
    }
  }

  private mutating func number() throws(Problem) {
    let start = position
    _ = take("-")
    if !take("0") { guard digits() else { throw Problem(text: "the body is not JSON") } }
    if take(".") { guard digits() else { throw Problem(text: "a number ends with its point") } }
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      let exponent = position
      guard digits() else { throw Problem(text: "a number has no exponent after its e") }
      let text = String(decoding: bytes[exponent..<position], as: UTF8.self)
      guard let size = Int(text), size <= Self.exponentMax else { throw Problem(text: "a number is too large") }
    }
    guard position - start <= Self.numberBytesMax else { throw Problem(text: "a number is too long") }
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = next, (48...57).contains(byte) { position += 1 }
    return position > start
  }

  /// The bytes of the text, without its escapes; a slice of the body where there are none.
  private mutating func string() throws(Problem) -> ArraySlice<UInt8> {
    position += 1
    let start = position
    var unescaped: [UInt8]?
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return unescaped?[...] ?? bytes[start..<position - 1]
      case UInt8(ascii: "\\"):
        if unescaped == nil { unescaped = Array(bytes[start..<position - 1]) }
        unescaped?.append(contentsOf: try escape())
      case ..<0x20: throw Problem(text: "a text has a control character")
      default: unescaped?.append(byte)
      }
    }
    throw Problem(text: "a text does not end")
  }

  private mutating func escape() throws(Problem) -> [UInt8] {
    guard let byte = next else { throw Problem(text: "a text does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default: throw Problem(text: "a text has an escape that JSON does not know")
    }
  }

  /// The character that `\u` begins: no half of a surrogate pair, and no NUL, which PostgreSQL's text has not.
  private mutating func scalar() throws(Problem) -> Unicode.Scalar {
    let scalar: Unicode.Scalar
    do {
      scalar = try escapedScalar()
    } catch {
      switch error {
      case .digits: throw Problem(text: "an escape has four hexadecimal digits")
      case .surrogate: throw Problem(text: "a text has half a surrogate pair")
      }
    }
    guard scalar.value != 0 else { throw Problem(text: "a text has a NUL") }
    return scalar
  }
}
