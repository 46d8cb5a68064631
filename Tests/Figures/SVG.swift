import Markup

extension HTML {
  static func svgLine(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ kind: String) -> HTML {
    .element(
      "line",
      [
        Attribute("x1", x1.svgNumber), Attribute("y1", y1.svgNumber), Attribute("x2", x2.svgNumber),
        Attribute("y2", y2.svgNumber), Attribute("class", kind),
      ])
  }

  /// - Parameter anchor: `start`, `middle` or `end`.
  static func svgText(_ text: String, x: Double, y: Double, _ kind: String, _ anchor: String = "start") -> HTML {
    .element(
      "text",
      [
        Attribute("x", x.svgNumber), Attribute("y", y.svgNumber), Attribute("class", kind),
        Attribute("text-anchor", anchor),
      ], text: text)
  }

  static func svgDot(_ x: Double, _ y: Double, radius: Double, _ kind: String) -> HTML {
    .element(
      "circle",
      [
        Attribute("cx", x.svgNumber), Attribute("cy", y.svgNumber), Attribute("r", "\(radius)"),
        Attribute("class", kind),
      ])
  }
}

extension Double {
  /// A coordinate with one decimal.
  fileprivate var svgNumber: String { "\((self * 10).rounded() / 10)" }
}
