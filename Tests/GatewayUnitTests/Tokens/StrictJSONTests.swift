import TestSupport
import Testing
import TextCoding

@testable import Gateway

@Suite("Strict JSON") struct StrictJSONTests {
  private func read(_ text: String) throws -> StrictJSON { try StrictJSON(Array(text.utf8)) }

  @Test func `strict JSON reads every kind of value, and keeps numbers as they were written`() throws {
    #expect(
      try read(#" {"a":[null,true,false,-0.5e+3,10],"":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é","o":{}} "#)
        == .object([
          "a": .array([.null, .bool(true), .bool(false), .number("-0.5e+3"), .number("10")]),
          "": .string("\"\\/\u{8}\u{C}\n\r\té😀é"), "o": .object([:]),
        ]))
    #expect(try read("9223372036854775807").integer == .max)
    #expect(try read("1.0").integer == nil)
  }

  @Test func `strict JSON refuses text that is not exactly one value`() {
    for text in [
      "", " ", "{", "}", "[1,]", "[,1]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{'a':1}"#, "01",
      "+1",
      ".5", "1.", "1e", "1e+", "-", "tru", "nulls", "NaN", #""a"#, #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00""#,
      #""\ud800\u0041""#, "\"a\nb\"", "\"\u{0}\"", "1 1", "{} {}", "\u{FEFF}{}", "[1]//", #"{"a":1,"\u0061":2}"#,
    ] {
      #expect(throws: StrictJSONError.self, "\(text)") { try read(text) }
    }
    #expect(throws: StrictJSONError.self) { try StrictJSON([0x22, 0xFF, 0x22]) }
    #expect(throws: StrictJSONError.self) { try StrictJSON([0x22, 0xC0, 0x80, 0x22]) }
    #expect(throws: StrictJSONError.self) { try StrictJSON([0x22, 0xED, 0xA0, 0x80, 0x22]) }
  }

  @Test func `strict JSON is 32 levels deep and no deeper, for any input`() throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(throws: Never.self) { try read(nested(32)) }
    #expect(throws: StrictJSONError.self) { try read(nested(33)) }
    #expect(throws: StrictJSONError.self) { try read(String(repeating: #"{"a":["#, count: 1_000_000)) }
  }

  @Test func `strict JSON names the line of an error`() {
    let error = #expect(throws: StrictJSONError.self) { try read("[\n  1,\n  x\n]") }
    #expect(error?.description == "line 3: is not a JSON value")
  }

  @Test func `strict JSON survives any bytes`() {
    var generator = SeededGenerator()
    let alphabet = Array(#"{}[]":,\u0dDe+-.tfn 1"#.utf8)
    for _ in 0..<5000 {
      let length = Int.random(in: 0..<40, using: &generator)
      let bytes = (0..<length).map { _ in
        Int.random(in: 0..<8, using: &generator) == 0
          ? UInt8.random(in: .min ... .max, using: &generator)
          : alphabet.randomElement(using: &generator) ?? 0
      }
      _ = try? StrictJSON(bytes)
    }
  }
}

@Suite("Unpadded base64") struct UnpaddedBase64Tests {
  @Test(arguments: [UnpaddedBase64.url, .standard])
  func `unpadded base64 restores any bytes, in either alphabet`(alphabet: UnpaddedBase64) {
    var generator = SeededGenerator()
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      #expect(alphabet.decode(alphabet.encode(bytes).utf8) == bytes, "\(generator)")
    }
    let text = alphabet == .url ? "-_8" : "+/8"
    #expect(alphabet.encode([0xFB, 0xFF]) == text)
  }

  @Test func `unpadded base64 has one text for any bytes, and others are refused`() {
    for bad in ["A", "AAAAA", "AB", "AAB", "AA==", "A+", "A/A", "AA A", "AA\n", "ÄA"] {
      #expect(UnpaddedBase64.url.decode(bad.utf8) == nil, "\(bad)")
    }
    #expect(UnpaddedBase64.url.decode("".utf8) == [])
  }
}
