import Markup

extension HTML {
  /// A drawing 800 units wide, for the light and the dark style of a page; `.ground` and `.text` are in both.
  static func svgFile(
    title: String, height: Int, _ drawn: [HTML], light: [String], dark: [String]
  ) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 \(height)" role="img" aria-labelledby="title"
      font-family="system-ui, 'Liberation Sans', Arial, sans-serif" font-size="12.5">
      <title id="title">\(HTML(text: title))</title>
      <style>
        .ground { fill: #ffffff }
        .text { fill: #3d4a59 }
        \(light.joined(separator: "\n    "))
        @media (prefers-color-scheme: dark) {
          .ground { fill: #14181f }
          .text { fill: #b9c4d1 }
          \(dark.joined(separator: "\n      "))
        }
      </style>
      <rect class="ground" width="800" height="\(height)"/>
      \(drawn.map(\.description).joined(separator: "\n  "))
    </svg>

    """
  }

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
