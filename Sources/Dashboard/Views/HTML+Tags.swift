import Markup

/// Short forms of the elements that screens are made of.
extension HTML {
  static func tag(_ name: StaticString, _ classes: String = "", _ children: [HTML]) -> HTML {
    .element(name, classes.isEmpty ? [] : [Attribute("class", classes)], children)
  }

  static func tag(_ name: StaticString, _ classes: String = "", text: String) -> HTML {
    tag(name, classes, [HTML(text: text)])
  }

  static func text(_ text: String) -> HTML { HTML(text: text) }

  /// A link to a screen, to one thing of it, or to it with filters.
  static func link(
    _ path: [String], query: [(String, String)] = [], classes: String = "", _ children: [HTML]
  ) -> HTML {
    .element(
      "a", [Attribute.link(path, query)] + (classes.isEmpty ? [] : [Attribute("class", classes)]), children)
  }

  static func link(_ path: [String], query: [(String, String)] = [], classes: String = "", text: String) -> HTML {
    link(path, query: query, classes: classes, [HTML(text: text)])
  }

  /// A sign beside text, which screen readers pass over.
  static func sign(_ sign: String) -> HTML {
    .element("span", [Attribute("aria-hidden", "true")], text: sign)
  }

  /// A sign in a small square.
  static func badge(_ sign: String, _ mood: Mood) -> HTML {
    .element("span", [Attribute("class", "mark \(mood.rawValue)"), Attribute("aria-hidden", "true")], text: sign)
  }

  /// What may be wider than the screen; the keys scroll it sideways.
  static func scroll(_ label: String, _ child: HTML) -> HTML {
    .element(
      "div",
      [
        Attribute("class", "scroll"), Attribute("tabindex", "0"), Attribute("role", "region"),
        Attribute("aria-label", label),
      ], [child])
  }

  static func key(_ key: String) -> HTML { tag("kbd", text: key) }

  /// A sentence where a list is empty.
  static func none(_ text: String) -> HTML { tag("p", "none muted", text: text) }
}
