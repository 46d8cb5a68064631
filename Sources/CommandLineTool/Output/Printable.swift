/// Text that came from elsewhere, made fit for a terminal.
enum Printable {
  /// One line: control characters, which could steer the terminal, become spaces.
  static func line(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
        scalar.properties.generalCategory)
      out.append(isControl ? " " : scalar)
    }
    return String(out)
  }

  /// Lines of at most `width` characters, broken at spaces where there are any.
  static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    for word in line(text).split(separator: " ") {
      var word = String(word)
      if !current.isEmpty, current.count + 1 + word.count > width {
        lines.append(current)
        current = ""
      }
      while word.count > width {
        lines.append(String(word.prefix(width)))
        word = String(word.dropFirst(width))
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return current.isEmpty ? lines : lines + [current]
  }
}
