import Testing
import TextCoding

@testable import Gateway

struct BodyCheckTests {
  private static func kind(_ text: String, depthMax: Int = 4) -> String {
    do {
      switch try Body.check(Array(text.utf8), depthMax: depthMax) {
      case .object: return "object"
      case .array: return "array"
      default: return "other"
      }
    } catch {
      return error.text
    }
  }

  @Test(
    arguments: [
      ("{}", "object"), (" [ ] ", "array"), ("1", "other"), ("-0.5e+3", "other"),
      ("\"\\u00e9\\ud83d\\ude00\"", "other"),
      (#"{"a":[{"b":[1,2]}],"c":null}"#, "object"), ("[[[[1]]]]", "array"), ("true", "other"),
      ("[[[[[1]]]]]", "the JSON is nested deeper than 4"), (#"{"a":1,"a":2}"#, "a member is duplicated"),
      (#"{"\u0061":1,"a":2}"#, "a member is duplicated"), (#"{"a":{"a":1},"b":{"a":1}}"#, "object"),
      ("[1,]", "the body is not JSON"), ("{\"a\" 1}", "a colon is missing"), ("{a:1}", "a member's name is missing"),
      ("[1 2]", "a comma or ] is missing"), ("\"a", "a string is not closed"), ("1e401", "a number is too large"),
      ("1e99999999999999999999", "a number is too large"), (String(repeating: "1", count: 401), "a number is too long"),
      ("\"\\u0000\"", "a string contains a NUL character"), ("\"\\udc00\"", "a string contains an unpaired surrogate"),
      ("\"\\ud800\\u0041\"", "a string contains an unpaired surrogate"),
      ("\"\\x\"", "a string contains an escape that JSON does not allow"),
      ("\"\\u12\"", "an escape needs four hexadecimal digits"), ("\"\t\"", "a string contains a control character"),
      ("{} x", "the JSON is followed by other text"), ("", "the body is not JSON"),
      ("01", "the JSON is followed by other text"),
      ("1.", "a number ends with its decimal point"), ("1e", "a number has no digits in its exponent"),
    ])
  func `the check of a body accepts JSON that the database accepts, and explains a refusal`(
    _ text: String, _ expected: String
  ) {
    #expect(Self.kind(text) == expected)
  }

  @Test func `a body has a maximum number of values, in any nesting`() {
    // The outer array is a value, too.
    #expect(Self.kind("[" + String(repeating: "0,", count: 449_998) + "0]") == "array")
    #expect(Self.kind("[" + String(repeating: "0,", count: 449_999) + "0]") == "the body has more than 450000 values")
    let objects = String(repeating: #"{"":0},"#, count: 225_000)
    #expect(Self.kind("[\(objects)0]") == "the body has more than 450000 values")
  }
}
