import ControlAPI
import TestSupport

/// JSON as bytes, because some of it is none: values as a schema wants them, and values that nobody wants.
struct WildValues {
  var random: SeededGenerator
  /// Values that exist, by the name of a member or parameter.
  let known: [String: [String]]
  /// Whether all is as described, so that requests come as far as they can.
  var isTame = false

  mutating func chance(_ oneOf: Int) -> Bool { Int.random(in: 0..<oneOf, using: &random) == 0 }

  /// Whether something is to be wrong here.
  mutating func isWild(_ oneOf: Int) -> Bool { !isTame && chance(oneOf) }

  mutating func one<Element>(of elements: [Element]) -> Element {
    guard let element = elements.randomElement(using: &random) else { preconditionFailure("nothing to choose from") }
    return element
  }

  /// A text for a parameter of this name: one that exists, or a wild one.
  mutating func text(named name: String, wildOneOf: Int = 3) -> [UInt8] {
    if isWild(wildOneOf) { return one(of: Self.texts) }
    return Array(one(of: known[name] ?? ["1", "a", "XC", "2031"]).utf8)
  }

  /// The values that a schema describes.
  mutating func valid(_ schema: AnswerSchema, named name: String) -> [UInt8] {
    switch schema {
    case .text: Self.quoted(text(named: name, wildOneOf: 20))
    case .instant: Array(#""2031-06-01T09:00:00Z""#.utf8)
    case .integer: Array(one(of: known[name] ?? ["0", "1", "2", "7", "60", "2031"]).utf8)
    case .number: Array(one(of: known[name] ?? ["0", "1", "4.99", "0.01", "600", "20.5"]).utf8)
    case .boolean: Array(one(of: ["true", "false"]).utf8)
    case .choice(let texts): Self.quoted(Array(one(of: texts).utf8))
    case .array(let element):
      Self.array((0..<Int.random(in: 0..<4, using: &random)).map { _ in valid(element, named: name) })
    case .members(let members): object(members)
    case .nullable(let inner): chance(4) ? Array("null".utf8) : valid(inner, named: name)
    case .anyOf(let schemas): valid(one(of: schemas), named: name)
    case .limited(let inner, let limits):
      if known[name] == nil, let example = limits.example { Array(example.utf8) } else { valid(inner, named: name) }
    case .anything: one(of: Self.values)
    }
  }

  /// An object, whole or with something wrong about its members.
  private mutating func object(_ members: [AnswerSchema.Member]) -> [UInt8] {
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    for member in members where member.isRequired || chance(isTame ? 4 : 2) {
      if isWild(30) { continue }
      let value = isWild(12) ? one(of: Self.values) : valid(member.schema, named: member.name)
      pairs.append((Self.quoted(Array(member.name.utf8)), value))
    }
    if isWild(15) { pairs.append((Self.quoted(one(of: Self.texts)), one(of: Self.values))) }
    if isWild(30), let pair = pairs.first { pairs.append(pair) }
    let inner = pairs.map { $0.name + [UInt8(ascii: ":")] + $0.value }
    return Array("{".utf8) + Array(inner.joined(separator: [UInt8(ascii: ",")])) + Array("}".utf8)
  }

  /// A body: most of them nearly as described.
  mutating func body(_ schema: AnswerSchema) -> [UInt8] {
    if isWild(8) { return one(of: Self.values) }
    var body = valid(schema, named: "")
    if isWild(25) { body.removeLast(min(body.count, Int.random(in: 1...3, using: &random))) }
    if isWild(25) { body += one(of: Self.texts) }
    if isWild(25), !body.isEmpty {
      body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return body
  }

  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    let escaped = text.flatMap {
      [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains($0) ? [UInt8(ascii: "\\"), $0] : [$0]
    }
    return [UInt8(ascii: "\"")] + escaped + [UInt8(ascii: "\"")]
  }

  private static func array(_ elements: [[UInt8]]) -> [UInt8] {
    Array("[".utf8) + Array(elements.joined(separator: [UInt8(ascii: ",")])) + Array("]".utf8)
  }

  /// Texts that no app sends.
  static let texts: [[UInt8]] =
    [
      "", " ", "0", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "2147483648", "1e400",
      "1.5", "٣", "+1", "0x1f", "NaN", "Infinity", "-infinity", "null", "true", "'", "\"", "\\", "%", "%s", "$1", "{}",
      "{1,2}",
      "😀", "👩‍👩‍👧‍👦", "\u{202e}abc", "\u{feff}", "\u{0}", "\u{1}\u{7f}", "e\u{301}", "İ", "ß", "\u{10ffff}", "a\r\nb",
      "../..", "a/b",
      "2031-13-45", "0000-00-00", "99999-01-01T00:00:00Z", "294277-01-01", "-4713-01-01T00:00:00Z", "epoch", "now",
      "infinity",
      "2031-06-01T24:00:00Z", "2031-06-01T09:00:00+99:99", "1990-01-01", "00000000-0000-0000-0000-000000000000",
      "Europe/Nowhere", "UTC", "EST5EDT", "<+03>-3", "Factory", "' OR 1=1 --", "camelCase_and_snake",
    ].map { Array($0.utf8) } + [
      Array(repeating: UInt8(ascii: "a"), count: 300), Array(repeating: UInt8(ascii: "9"), count: 400),
      Array(repeating: UInt8(ascii: "x"), count: 10_001), [0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80],
    ]

  /// Values that no app sends, some of them no JSON.
  static let values: [[UInt8]] =
    [
      "null", "true", "false", "0", "-0", "-1", "1", "0.001", "1e400", "-1e400", "1e401", "1e-400", "1e308", "-1e308",
      "1e19",
      "1E2", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "2147483647", "2147483648",
      "1e99999999999",
      "123456789012345678901234567890", "0.1000000000000000055511151231257827", "01", "+1", ".5", "1.", "NaN",
      "Infinity",
      "\"\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud83d\\ude00\"", "\"\\x\"", "\"a\\u0000b\"",
      "\"\t\"", "'a'",
      "[]", "{}", "[null]", "[[]]", "[{}]", "{\"\":0}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"a\"}",
      "[1,]", "", " ", "\"a\"",
      "[1,2,3,4,5,6,7,8,9]", "{\"latitude\":1e400,\"longitude\":-1e400}", "{\"latitude\":91,\"longitude\":181}",
      "[1e400]",
      "{\"time\":[0,1],\"distance\":[0,1e300]}", "[\"a\",1,null,true]", "\"1e400\"", "\"NaN\"",
    ].map { Array($0.utf8) }
    + [10, 31, 32, 33, 2000].map { depth in
      Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
    } + texts.map(quoted)
}
