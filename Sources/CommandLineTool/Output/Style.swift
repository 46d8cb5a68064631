import Glibc

/// How wide the output is, and whether it has colours.
package struct Style: Sendable, Equatable {
  enum Colour: String, Sendable, CaseIterable {
    case red = "31"
    case yellow = "33"
    case green = "32"
    case bold = "1"
  }

  /// The text that follows one of the program's own ESC.
  static let codes = Colour.allCases.map { "[\($0.rawValue)m" } + ["[0m"]

  var width = 80
  var isColoured = false
  /// Whether a table's row may be wider: then it is one line, however long its cells.
  var keepsRows = false

  /// Of standard output: 80 columns, whole rows and no colour if it is not a terminal.
  static var current: Style {
    guard isatty(1) == 1 else { return Style(keepsRows: true) }
    var size = winsize()
    let isKnown = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 40
    return Style(width: isKnown ? Int(size.ws_col) : 80, isColoured: getenv("NO_COLOR") == nil)
  }

  func callAsFunction(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
  }
}
