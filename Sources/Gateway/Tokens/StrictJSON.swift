import TextCoding

/// JSON as its issuer wrote it: numbers keep their text, and no object has a name twice.
///
/// Two readers of a token must never see different things: RFC 7515 and RFC 7519 (section 4 of each) let a reader
/// refuse names that are there twice, and this one does.
enum StrictJSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([StrictJSON])
  case object([String: StrictJSON])

  /// The deepest nesting that is read (Gateway.docc/Callers.md).
  static let depthMax = 32

  /// Throws `StrictJSONError` where this is not one JSON value and nothing else.
  init(_ bytes: [UInt8]) throws(StrictJSONError) {
    var reader = JSONReader(bytes, depthMax: Self.depthMax, valueDepthMax: Self.depthMax)
    do throws(JSONFault) {
      guard let value = try Self.value(&reader), try reader.next() == .end else { throw .value }
      self = value
    } catch {
      throw StrictJSONError(line: reader.line, problem: error.text)
    }
  }

  /// The next value; nil at the end of an array.
  private static func value(_ reader: inout JSONReader) throws(JSONFault) -> StrictJSON? {
    switch try reader.next() {
    case .null: return .null
    case .boolean(let value): return .bool(value)
    case .number: return .number(String(decoding: reader.content, as: UTF8.self))
    case .text: return .string(try text(reader))
    case .array:
      var elements: [StrictJSON] = []
      while let element = try value(&reader) { elements.append(element) }
      return .array(elements)
    case .object:
      var members: [String: StrictJSON] = [:]
      while try reader.next() == .name {
        let name = try text(reader)
        let value = try value(&reader)
        guard members.updateValue(value ?? .null, forKey: name) == nil else { throw .twice }
      }
      return .object(members)
    case .name, .end: return nil
    }
  }

  private static func text(_ reader: JSONReader) throws(JSONFault) -> String {
    guard let text = String(validating: reader.content, as: UTF8.self) else { throw JSONFault("a string is not UTF-8") }
    return text
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number that was written without fraction and exponent.
  var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

  /// A number of seconds, perhaps with a fraction, as `exp` is defined; nil outside of any year that matters.
  var seconds: Double? {
    guard case .number(let text) = self, let seconds = Double(text), abs(seconds) < 1e12 else { return nil }
    return seconds
  }

  var members: [String: StrictJSON]? { if case .object(let members) = self { members } else { nil } }

  var elements: [StrictJSON]? { if case .array(let elements) = self { elements } else { nil } }

  /// The member at a path of names; nil where there is none.
  func member(_ path: [String]) -> StrictJSON? {
    path.reduce(self) { value, name in value?.members?[name] }
  }
}

/// Where a text stops being JSON, and why.
struct StrictJSONError: Error, Hashable, CustomStringConvertible {
  /// The line, from 1.
  let line: Int
  let problem: String

  var description: String { "line \(line): \(problem)" }
}
