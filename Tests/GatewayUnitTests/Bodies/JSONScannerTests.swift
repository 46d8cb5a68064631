import Foundation
import TestSupport
import Testing

@testable import Gateway

struct JSONScannerTests {
  private static func kind(_ text: String, depthMax: Int = 4) -> String {
    do {
      return "\(try JSONScanner.check(Array(text.utf8), depthMax: depthMax))"
    } catch {
      return error.text
    }
  }

  @Test(
    arguments: [
      ("{}", "object"), (" [ ] ", "array"), ("1", "other"), ("-0.5e+3", "other"),
      ("\"\\u00e9\\ud83d\\ude00\"", "other"),
      (#"{"a":[{"b":[1,2]}],"c":null}"#, "object"), ("[[[[1]]]]", "array"), ("true", "other"),
      ("[[[[[1]]]]]", "the JSON is nested deeper than 4"), (#"{"a":1,"a":2}"#, "a member is given twice"),
      (#"{"\u0061":1,"a":2}"#, "a member is given twice"), (#"{"a":{"a":1},"b":{"a":1}}"#, "object"),
      ("[1,]", "the body is not JSON"), ("{\"a\" 1}", "a colon is missing"), ("{a:1}", "a member's name is missing"),
      ("[1 2]", "a comma or ] is missing"), ("\"a", "a text does not end"), ("1e401", "a number is too large"),
      ("1e99999999999999999999", "a number is too large"), (String(repeating: "1", count: 401), "a number is too long"),
      ("\"\\u0000\"", "a text has a NUL"), ("\"\\udc00\"", "a text has half a surrogate pair"),
      ("\"\\ud800\\u0041\"", "a text has half a surrogate pair"),
      ("\"\\x\"", "a text has an escape that JSON does not know"),
      ("\"\\u12\"", "an escape has four hexadecimal digits"), ("\"\t\"", "a text has a control character"),
      ("{} x", "something follows the end of the JSON"), ("", "the body is not JSON"),
      ("01", "something follows the end of the JSON"),
      ("1.", "a number ends with its point"), ("1e", "a number has no exponent after its e"),
    ])
  func `the scanner accepts JSON that the database accepts, and explains a refusal`(_ text: String, _ expected: String)
  {
    #expect(Self.kind(text) == expected)
  }

  @Test func `the scanner agrees with another JSON reader and writer`() throws {
    var generator = SeededGenerator()
    for _ in 0..<300 {
      let object = Self.value(depth: 3, &generator)
      let bytes = try JSONSerialization.data(withJSONObject: ["a": object])
      #expect(Self.kind(String(decoding: bytes, as: UTF8.self), depthMax: 10) == "object", "\(generator)")
      var broken = Array(bytes)
      broken[Int.random(in: 0..<broken.count, using: &generator)] = UInt8.random(in: 0x20...0x7e, using: &generator)
      // Whether it is UTF-8 is asked before.
      guard String(validating: broken, as: UTF8.self) != nil else { continue }
      guard (try? JSONScanner.check(broken, depthMax: 10)) != nil else { continue }
      #expect(
        (try? JSONSerialization.jsonObject(with: Data(broken), options: .fragmentsAllowed)) != nil,
        "\(generator): \(String(decoding: broken, as: UTF8.self))")
    }
  }

  private static func value(depth: Int, _ generator: inout SeededGenerator) -> Any {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
    case 0: return Int.random(in: -1000...1000, using: &generator)
    case 1: return Double.random(in: -1...1, using: &generator)
    case 2: return "é\"\\\n😀\(Int.random(in: 0...9, using: &generator))"
    case 3: return NSNull()
    case 4: return (0..<3).map { _ in value(depth: depth - 1, &generator) }
    default: return ["x": value(depth: depth - 1, &generator), "y\n": value(depth: depth - 1, &generator)]
    }
  }

  @Test func `a body has a maximum number of values, in any nesting`() {
    // The outer array is a value, too.
    #expect(Self.kind("[" + String(repeating: "0,", count: 449_998) + "0]") == "array")
    #expect(Self.kind("[" + String(repeating: "0,", count: 449_999) + "0]") == "the body has more than 450000 values")
    let objects = String(repeating: #"{"":0},"#, count: 225_000)
    #expect(Self.kind("[\(objects)0]") == "the body has more than 450000 values")
  }
}
