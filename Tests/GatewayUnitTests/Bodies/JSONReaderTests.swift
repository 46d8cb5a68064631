import Foundation
import TestSupport
import Testing
import TextCoding

@testable import Gateway

/// The reader's three consumers beside Foundation's reader, over the same bytes.
///
/// Foundation differs in a known list, which `isKnownDifference` holds: it accepts a byte order mark, other encodings
/// than UTF-8, members with one name, and a comma behind the last element or member.
@Suite("JSON reader") struct JSONReaderTests {
  private static let written = [
    "{}", "[]", " [ ] ", "0", "-0", "-0.5e+3", "1E2", "1e-2", "true", "false", "null", #""""#, "[1,2]", "\t[1 ,\r\n2]",
    #"{"a":{"a":1},"b":[{},[],""]}"#, #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#, #"{"\u0061":1,"b":2}"#,
    "[[[[[[]]]]]]",
    "12345678901234567890", "9007199254740993", "0.1", "", " ", "{", "}", "[", "]", ",", "[1,]", "[,1]", "[1 2]",
    "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{1:2}"#, "01", "-", "+1", ".5", "1.",
    "1.e2", "1e", "1e+", "-a", "tru", "truee", "nul", "NaN", "Infinity", "'a'", #""a"#, #""a\""#, #""\x""#, #""\u12""#,
    #""\u12g4""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800\ud800""#, "\"a\nb\"", "\"a\tb\"", "1 1",
    "{} {}", "[]]", "[}", #"{"a":1]"#, "//1", "[1]//", "\u{B}1", "\u{A0}1",
  ]

  @Test func `the reader accepts the JSON that Foundation accepts, with the same values`() {
    for text in Self.written { compare(Array(text.utf8), text) }
    for depth in [31, 32] {
      let text = String(repeating: #"{"a":["#, count: depth / 2) + String(repeating: "]}", count: depth / 2)
      compare(Array(text.utf8), text)
    }
    for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      compare(bytes, "\(bytes)")
    }
  }

  @Test func `the reader agrees with Foundation about random JSON, whole and mutated`() {
    var generator = SeededGenerator(seed: 29)
    var accepted = 0
    for round in 0..<6000 {
      var bytes = Array(Self.text(depth: 4, &generator).utf8)
      for _ in 0..<(round % 3) { Self.mutate(&bytes, &generator) }
      if compare(bytes, "round \(round): \(String(decoding: bytes, as: UTF8.self))") { accepted += 1 }
    }
    #expect((2000..<5500).contains(accepted), "Both kinds of input occur: \(accepted) are JSON")
  }

  /// Whether the bytes are JSON.
  @discardableResult private func compare(_ bytes: [UInt8], _ comment: String) -> Bool {
    let value = try? StrictJSON(bytes)
    let judged = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    let fault = Self.fault(bytes)
    if let value {
      // jsonb takes no NUL in a text; Foundation takes no number that a Double cannot store.
      #expect([nil, "a string contains a NUL character", "a number is too large"].contains(fault), "\(comment)")
      if let judged {
        #expect(Self.isSame(value, judged), "\(comment)")
      } else {
        #expect(fault == "a number is too large", "Foundation refuses \(comment)")
      }
    } else {
      #expect(fault != nil, "\(comment)")
      if judged != nil { #expect(Self.isKnownDifference(bytes), "only Foundation accepts \(comment)") }
    }
    if let value { compareList(value, bytes, comment) }
    return value != nil
  }

  private func compareList(_ value: StrictJSON, _ bytes: [UInt8], _ comment: String) {
    let text = String(decoding: bytes, as: UTF8.self)
    for name in [nil, "a", "id"] {
      let elements = (name.map { value.members?[$0] } ?? value)?.elements
      let list = JSONList(text, member: name, id: "id")
      #expect(list?.count == elements?.count, "\(comment)")
      let id = elements?.last?.members?["id"]
      let expected: String? = if case .number(let number) = id { number } else { id?.text }
      #expect(list?.lastID == expected, "\(comment)")
    }
  }

  /// Why a body is refused; nil where it is accepted.
  private static func fault(_ bytes: [UInt8]) -> String? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return "not UTF-8" }
    do throws(JSONFault) {
      _ = try Body.check(bytes, depthMax: 32)
      return nil
    } catch {
      return error.text
    }
  }

  private static func isKnownDifference(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.contains(0) { return true }
    do {
      _ = try StrictJSON(bytes)
      return false
    } catch {
      if error.problem == "a name is duplicated" { return true }
    }
    return String(decoding: bytes, as: UTF8.self).contains(/,\s*[\]}]/)
  }

  private static func isSame(_ value: StrictJSON, _ judged: Any) -> Bool {
    switch value {
    case .null: return judged is NSNull
    case .bool(let value): return judged as? Bool == value
    case .number(let text): return (judged as? NSNumber)?.doubleValue == Double(text)
    case .string(let text): return (judged as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
    case .array(let elements):
      guard let judged = judged as? [Any], judged.count == elements.count else { return false }
      return zip(elements, judged).allSatisfy(isSame)
    case .object(let members):
      guard let judged = judged as? [String: Any], judged.count == members.count else { return false }
      return members.allSatisfy { name, value in judged[name].map { isSame(value, $0) } ?? false }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard let place = bytes.indices.randomElement(using: &generator) else { return }
    let byte = Array(#"{}[]":,\u0dDe+-.tfn 1"#.utf8).randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes[place] = UInt8.random(in: 1...255, using: &generator)
    case 1: bytes[place] = byte
    case 2: bytes.insert(byte, at: place)
    case 3: bytes.remove(at: place)
    default: bytes.removeSubrange(place...)
    }
  }

  private static func text(depth: Int, _ generator: inout SeededGenerator) -> String {
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }
    let names = [#""a""#, #""\u0061""#, #""id""#, #""b""#, #""é\n""#, #""""#]
    let space = pick(["", "", " ", "\n\t"])
    switch Int.random(in: 0..<(depth > 0 ? 5 : 3), using: &generator) {
    case 0: return space + pick(["0", "-0.5e+1", "1E2", "123456789012", "0.1", "-7"])
    case 1: return space + pick([#""\ud83d\ude00""#, #""x, [{""#, #""\\\"""#, #""é\u0000""#, #""""#])
    case 2: return space + pick(["null", "true", "false"])
    case 3:
      let elements = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(depth: depth - 1, &generator) }
      return space + "[" + elements.joined(separator: space + ",") + space + "]"
    default:
      let members = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        pick(names) + space + ":" + text(depth: depth - 1, &generator)
      }
      return space + "{" + members.joined(separator: ", ") + space + "}"
    }
  }
}
