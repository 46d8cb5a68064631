import Markup

/// A part's frame: a heading, a note, something at the right, and the content.
enum Card {
  static func html(
    _ title: String, note: String = "", right: HTML = HTML(), classes: String = "", _ content: [HTML]
  ) -> HTML {
    html(title, notes: note.isEmpty ? HTML() : .text(note), right: right, classes: classes, content)
  }

  static func html(
    _ title: String, notes: HTML, right: HTML = HTML(), classes: String = "", _ content: [HTML]
  ) -> HTML {
    var head = [HTML.tag("h2", text: title)]
    if !notes.isEmpty { head.append(.tag("span", "muted", [notes])) }
    if !right.isEmpty { head.append(.tag("span", "right", [right])) }
    return .tag("section", classes.isEmpty ? "card" : "card \(classes)", [.tag("div", "head", head)] + content)
  }

  /// An address without an id shows `choice`; one whose id is not a number explains what Find takes.
  static func unnumbered(_ title: String, _ state: PageState, orElse choice: HTML = HTML()) -> HTML {
    guard let id = state.id else { return choice }
    return html(
      title,
      [
        .tag(
          "p", "none",
          [
            .cut(id.cut(60)), .text(" is not a number. Enter a noun and a number in Find, for example "),
            .tag("code", text: "athlete 42"), .text("."),
          ])
      ])
  }

  static func body(_ content: [HTML]) -> HTML { .tag("div", "body", content) }
}
