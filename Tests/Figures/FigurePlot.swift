import Markup

/// A drawing of figures with a target: their range and median, as parts of the target.
///
/// A figure above its target is drawn in another colour, and its text ends with "missed".
package struct FigurePlot {
  /// So many figures are drawn: the ones closest to their targets.
  static let rowsMax = 14

  private let title: String
  private let figures: [Figure]
  private let left = 330.0
  private let unitLength = 130.0
  private let row = 24.0
  private let top = 30.0

  package init(title: String, figures: [Figure]) {
    let judged = figures.filter { $0.target.map { $0 > 0 } ?? false }
    let order = judged.indices.sorted { (Self.part(judged[$0]), $1) > (Self.part(judged[$1]), $0) }
    self.title = title
    self.figures = order.prefix(Self.rowsMax).sorted().map { judged[$0] }
  }

  package var isEmpty: Bool { figures.isEmpty }

  /// A whole file, for the light and the dark style of a page.
  package var svg: String {
    let height = top + row * Double(figures.count) + 8
    var drawn: [HTML] = [
      .svgText("0", x: left, y: 16, "text", "middle"),
      .svgText("target", x: left + unitLength, y: 16, "text", "middle"),
      .svgText("2 x", x: left + 2 * unitLength, y: 16, "text", "middle"),
      .svgLine(left, top - 8, left, height - 6, "axis"),
      .svgLine(left + unitLength, top - 8, left + unitLength, height - 6, "target"),
    ]
    for (index, figure) in figures.enumerated() {
      drawn += self.drawn(figure, y: top + row * (Double(index) + 0.5))
    }
    return HTML.svgFile(
      title: title, height: Int(height), drawn,
      light: [
        ".name { fill: #17202b }",
        ".axis { stroke: #5b6b7f }",
        ".target { stroke: #5b6b7f; stroke-dasharray: 3 3 }",
        ".met { stroke: #2f7d46; fill: #2f7d46 }",
        ".missed { stroke: #b3452f; fill: #b3452f }",
        ".range { stroke-width: 5; stroke-opacity: 0.45 }",
      ],
      dark: [
        ".name { fill: #eef2f7 }",
        ".axis, .target { stroke: #8b9bb0 }",
        ".met { stroke: #5fb37a; fill: #5fb37a }",
        ".missed { stroke: #ea8a76; fill: #ea8a76 }",
      ])
  }

  private func drawn(_ figure: Figure, y: Double) -> [HTML] {
    let kind = figure.isMet ? "met" : "missed"
    let words = "\(figure.median.shown) \(figure.unit)\(figure.isMet ? "" : ", missed")"
    return [
      .svgText(figure.name, x: 0, y: y + 4, "name"),
      .svgLine(x(figure.least, figure), y, x(figure.greatest, figure), y, "range \(kind)"),
      .svgDot(x(figure.median, figure), y, radius: 4.5, kind),
      .svgText(words, x: left + 2 * unitLength + 16, y: y + 4, "text"),
    ]
  }

  private static func part(_ figure: Figure) -> Double { figure.median / (figure.target ?? .infinity) }

  /// The place of a value; all above twice the target share the right edge.
  private func x(_ value: Double, _ figure: Figure) -> Double {
    left + unitLength * min(2, max(0, value / (figure.target ?? .infinity)))
  }
}
