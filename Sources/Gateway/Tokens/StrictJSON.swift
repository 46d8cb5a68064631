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
    var parser = StrictJSONParser(bytes)
    self = try parser.document()
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
