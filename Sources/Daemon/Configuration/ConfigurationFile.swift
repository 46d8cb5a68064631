/// A file of `key = value` lines with `#` comments, as in postgresql.conf: a value may stand in single quotes, in which
/// `''` is one quote.
package struct ConfigurationFile: Sendable {
  struct Line: Sendable {
    let number: Int
    let key: String
    let value: String
  }

  let path: String
  let lines: [Line]

  /// A file that is not there has no lines.
  package static let none = ConfigurationFile(path: "environment")

  private init(path: String) {
    self.path = path
    lines = []
  }

  /// Throws `ConfigurationError` naming file and line where a line is not `key = value`.
  package init(path: String, text: String) throws(ConfigurationError) {
    self.path = path
    var lines: [Line] = []
    for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      if let line = try Self.line(raw, number: index + 1, path: path) { lines.append(line) }
    }
    self.lines = lines
  }

  private static func line(_ raw: Substring, number: Int, path: String) throws(ConfigurationError) -> Line? {
    let text = raw.trimmed
    if text.isEmpty || text.hasPrefix("#") { return nil }
    guard let equals = text.firstIndex(of: "=") else {
      throw ConfigurationError("\(path):\(number)", key: nil, "is not a line of the form key = value")
    }
    let key = text[..<equals].trimmed
    guard let value = value(of: text[text.index(after: equals)...].trimmed) else {
      throw ConfigurationError("\(path):\(number)", key: key, "the quote does not end, or something follows it")
    }
    return Line(number: number, key: key, value: value)
  }

  private static func value(of text: String) -> String? {
    guard text.hasPrefix("'") else {
      return String(text.prefix { $0 != "#" }).trimmed
    }
    var value = ""
    var rest = text.dropFirst()
    while let quote = rest.firstIndex(of: "'") {
      value += rest[..<quote]
      rest = rest[rest.index(after: quote)...]
      guard rest.hasPrefix("'") else {
        let after = String(rest).trimmed
        return after.isEmpty || after.hasPrefix("#") ? value : nil
      }
      value += "'"
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension StringProtocol {
  var trimmed: String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
