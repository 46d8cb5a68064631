import HostProcess

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
  /// Lines that cannot be read, and the keys that some of them name.
  let errors: [ConfigurationError]
  let unreadableKeys: Set<String>
  /// Whether others than its owner and group can read it.
  let isPublic: Bool

  /// A file that is not there has no lines.
  package static let none = ConfigurationFile(path: "environment")

  private init(path: String) {
    self.path = path
    (lines, errors, unreadableKeys, isPublic) = ([], [], [], false)
  }

  package init(path: String, text: String, isPublic: Bool = false) {
    self.path = path
    self.isPublic = isPublic
    var lines: [Line] = []
    var errors: [ConfigurationError] = []
    var unreadableKeys: Set<String> = []
    for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let (number, text) = (index + 1, raw.trimmed)
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard let equals = text.firstIndex(of: "="), Self.isWord(text[..<equals].trimmed) else {
        errors.append(ConfigurationError("\(path):\(number)", key: nil, "must have the form key = value"))
        continue
      }
      let key = text[..<equals].trimmed
      guard let value = Self.value(of: text[text.index(after: equals)...].trimmed) else {
        let problem = "the quote is not closed, or text follows it"
        errors.append(ConfigurationError("\(path):\(number)", key: key, problem))
        unreadableKeys.insert(key)
        continue
      }
      lines.append(Line(number: number, key: key, value: value))
    }
    (self.lines, self.errors, self.unreadableKeys) = (lines, errors, unreadableKeys)
  }

  /// Whether it can be shown as a key. Base64 ends with `=`: where the sign after a key is missing,
  /// the secret itself stands before one.
  private static func isWord(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
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
