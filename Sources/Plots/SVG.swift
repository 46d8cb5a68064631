import Markup

/// The elements of a drawing. Colours and fonts are classes: the page's policy forbids inline style.
enum SVG {
  /// A drawing of its own, which scales to the width of its place; `label` describes it to screen readers.
  static func drawing(
    _ width: Double, _ height: Double, label: String, classes: String = "plot", extra: [Attribute] = [],
    role: String = "img", _ children: [HTML]
  ) -> HTML {
    .element(
      "svg",
      [
        Attribute("viewBox", "0 0 \(width.coordinate) \(height.coordinate)"), Attribute("class", classes),
        Attribute("role", role), Attribute("aria-label", label),
      ] + extra, children)
  }

  static func rectangle(
    x: Double, y: Double, width: Double, height: Double, _ classes: String, radius: Double = 0, title: String? = nil
  ) -> HTML {
    var attributes = [
      Attribute("x", x.coordinate), Attribute("y", y.coordinate), Attribute("width", max(0, width).coordinate),
      Attribute("height", max(0, height).coordinate), Attribute("class", classes),
    ]
    if radius > 0 { attributes.append(Attribute("rx", radius.coordinate)) }
    return .element("rect", attributes, titles(title))
  }

  static func circle(
    x: Double, y: Double, radius: Double, _ classes: String, title: String? = nil, id: String? = nil
  ) -> HTML {
    .element(
      "circle",
      identity(id) + [
        Attribute("cx", x.coordinate), Attribute("cy", y.coordinate), Attribute("r", radius.coordinate),
        Attribute("class", classes),
      ], titles(title))
  }

  static func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ classes: String, id: String? = nil
  ) -> HTML {
    .element(
      "line",
      identity(id) + [
        Attribute("x1", x1.coordinate), Attribute("y1", y1.coordinate), Attribute("x2", x2.coordinate),
        Attribute("y2", y2.coordinate), Attribute("class", classes),
      ])
  }

  static func path(_ points: String, _ classes: String, title: String? = nil) -> HTML {
    .element("path", [Attribute("d", points), Attribute("class", classes)], titles(title))
  }

  enum Anchor: String { case start, middle, end }

  static func text(_ text: String, x: Double, y: Double, _ classes: String = "", _ anchor: Anchor = .start) -> HTML {
    var attributes = [Attribute("x", x.coordinate), Attribute("y", y.coordinate)]
    if !classes.isEmpty { attributes.append(Attribute("class", classes)) }
    if anchor != .start { attributes.append(Attribute("text-anchor", anchor.rawValue)) }
    return .element("text", attributes, [HTML(text: text)])
  }

  /// A triangle that points upwards, round this centre.
  static func triangle(x: Double, y: Double, radius: Double, _ classes: String, title: String?) -> HTML {
    let (left, right) = ((x - radius).coordinate, (x + radius).coordinate)
    let (top, bottom) = ((y - radius).coordinate, (y + radius * 0.8).coordinate)
    return path("M\(x.coordinate) \(top)L\(right) \(bottom)L\(left) \(bottom)Z", classes, title: title)
  }

  /// A low drawing with a sentence, where there is nothing to draw.
  static func nothing(_ text: String, width: Double, label: String) -> HTML {
    drawing(width, 44, label: label, [Self.text(text, x: width / 2, y: 26, "", .middle)])
  }

  /// Marks that share one title.
  static func titled(_ title: String, _ marks: [HTML]) -> HTML { .element("g", [], titles(title) + marks) }

  private static func identity(_ id: String?) -> [Attribute] { id.map { [Attribute("id", $0)] } ?? [] }

  private static func titles(_ title: String?) -> [HTML] {
    title.map { [.element("title", [], [HTML(text: $0)])] } ?? []
  }
}
