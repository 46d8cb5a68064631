import ControlAPI
import TextCoding

/// Text that came from elsewhere, made fit for a terminal.
enum Printable {
  /// One line: unprintable characters, which could control the terminal, become spaces.
  static func line(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { out.append(scalar.isUnprintable ? " " : scalar) }
    return String(out)
  }

  /// Several lines, in which only the program's own colours control the terminal.
  static func lines(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\u{1b}", let colour = Style.codes.first(where: { rest.starts(with: $0.unicodeScalars) }) {
        out.append(scalar)
        out.append(contentsOf: colour.unicodeScalars)
        rest = rest.dropFirst(colour.unicodeScalars.count)
      } else {
        out.append(scalar.isUnprintable && scalar != "\n" ? " " : scalar)
      }
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
