import Foundation
import Markup

/// A drawing of medians over sizes, both on logarithmic axes, with the power law that fits each series best.
struct GrowthPlot {
  let title: String
  let growths: [Growth]

  private let left = 70.0
  private let right = 560.0
  private let top = 24.0
  private let bottom = 300.0

  /// A whole file, for the light and the dark style of a page.
  var svg: String {
    let sizes = Self.decades(growths.flatMap { $0.points.map { Double($0.size) } })
    let values = Self.decades(growths.flatMap { $0.points.map(\.median) })
    var drawn: [HTML] = []
    for decade in sizes {
      let x = place(decade, in: sizes, from: left, to: right)
      drawn += [
        .svgLine(x, top, x, bottom, "grid"), .svgText(Self.label(decade), x: x, y: bottom + 18, "text", "middle"),
      ]
    }
    for decade in values {
      let y = place(decade, in: values, from: bottom, to: top)
      drawn += [
        .svgLine(left, y, right, y, "grid"), .svgText(Self.label(decade), x: left - 8, y: y + 4, "text", "end"),
      ]
    }
    for (index, growth) in growths.enumerated() {
      drawn += series(growth, "series\(index % 3)", row: Double(index)) { size, value in
        (
          place(log10(size), in: sizes, from: left, to: right),
          place(log10(value), in: values, from: bottom, to: top)
        )
      }
    }
    let nouns = Set(growths.map(\.noun)).sorted().joined(separator: ", ")
    drawn.append(.svgText(nouns, x: right, y: bottom + 38, "text", "end"))
    drawn.append(.svgText(Set(growths.map(\.unit)).sorted().joined(separator: ", "), x: 8, y: 14, "text"))
    return HTML.svgFile(
      title: title, height: 350, drawn,
      light: [
        ".grid { stroke: #dde3ea }",
        ".series0 { stroke: #2b6cb0; fill: #2b6cb0 }",
        ".series1 { stroke: #b3452f; fill: #b3452f }",
        ".series2 { stroke: #2f7d46; fill: #2f7d46 }",
        "line.series0, line.series1, line.series2 { stroke-width: 1.5; stroke-dasharray: 5 4 }",
      ],
      dark: [
        ".grid { stroke: #2a3340 }",
        ".series0 { stroke: #7db4ea; fill: #7db4ea }",
        ".series1 { stroke: #ea8a76; fill: #ea8a76 }",
        ".series2 { stroke: #5fb37a; fill: #5fb37a }",
      ])
  }

  /// Points, the fitted line from the first size to the last, and a row of the legend.
  private func series(
    _ growth: Growth, _ kind: String, row: Double, _ place: (Double, Double) -> (x: Double, y: Double)
  ) -> [HTML] {
    var drawn: [HTML] = growth.points.map { point in
      let (x, y) = place(Double(point.size), point.median)
      return .svgDot(x, y, radius: 4, kind)
    }
    let y = top + 14 + row * 40
    drawn += [.svgDot(right + 16, y - 4, radius: 4, kind), .svgText(growth.name, x: right + 28, y: y, "text")]
    guard let fit = growth.fit, let first = growth.points.first, let last = growth.points.last else { return drawn }
    let ends = [first, last].map { place(Double($0.size), fit.factor * pow(Double($0.size), fit.exponent)) }
    drawn.append(.svgLine(ends[0].x, ends[0].y, ends[1].x, ends[1].y, kind))
    drawn.append(.svgText("exponent \(String(format: "%.2f", fit.exponent))", x: right + 28, y: y + 17, "text"))
    return drawn
  }

  /// `0.1`, `1`, `10,000`.
  private static func label(_ decade: Double) -> String {
    let value = pow(10, decade)
    return decade < 0 ? String(format: "%.\(Int(-decade))f", value) : decade < 3 ? "\(Int(value))" : value.shown
  }

  /// The whole decades around some values.
  private static func decades(_ values: [Double]) -> [Double] {
    let logs = values.filter { $0 > 0 }.map { log10($0) }
    guard let least = logs.min(), let greatest = logs.max() else { return [0, 1] }
    let first = least.rounded(.down)
    return Array(stride(from: first, through: max(greatest.rounded(.up), first + 1), by: 1))
  }

  private func place(_ value: Double, in decades: [Double], from start: Double, to end: Double) -> Double {
    let (first, last) = (decades[0], decades[decades.count - 1])
    return start + (end - start) * min(1, max(0, (value - first) / (last - first)))
  }
}
