import Markup

extension HTML {
  /// Text in which what stands between backticks is code.
  static func withCode(_ text: String) -> HTML {
    let pieces = text.unicodeScalars.split(separator: "`", omittingEmptySubsequences: false)
    return .joined(
      pieces.enumerated().map { index, piece in
        let text = String(String.UnicodeScalarView(piece))
        return index % 2 == 1 && index + 1 < pieces.count ? .tag("code", text: text) : .name(text)
      })
  }
}
