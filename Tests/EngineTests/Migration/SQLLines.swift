/// SQL in lines of the house's width.
enum SQLLines {
  static let width = 120

  /// Breaks at blanks outside of string literals; lines after the first are indented further.
  static func wrapped(_ sql: String, indent: Int) -> [String] {
    lines(of: words(sql), first: String(repeating: " ", count: indent), next: String(repeating: " ", count: indent + 2))
  }

  static func comment(_ text: String, indent: String) -> [String] {
    lines(of: text.split(separator: " ").map(String.init), first: indent + "-- ", next: indent + "-- ")
  }

  private static func lines(of words: [String], first: String, next: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? (lines.isEmpty ? first : next) + word : " " + word
    }
    return lines + [line]
  }

  private static func words(_ sql: String) -> [String] {
    var (words, isQuoted) = ([""], false)
    for character in sql {
      if character == "'" { isQuoted.toggle() }
      if character == " ", !isQuoted {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }
}
