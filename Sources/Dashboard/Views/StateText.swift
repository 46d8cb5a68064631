import Markup

/// A state as sign, word and colour.
enum StateText {
  static func html(_ state: String) -> HTML {
    let (sign, mood) = Mood.of(state)
    return html(state, sign, mood)
  }

  static func html(_ word: String, _ sign: String, _ mood: Mood) -> HTML {
    .tag("span", "is \(mood.rawValue)", [.sign(sign), .text(" " + word.shownAsWords)])
  }
}

extension String {
  /// `needs_reauth` as people read it.
  var shownAsWords: String { String(map { $0 == "_" ? " " : $0 }) }
}
