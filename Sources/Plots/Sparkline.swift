package import Markup

/// A row of tiny bars beside a number; the number itself stands in words elsewhere.
package enum Sparkline {
  package static func svg(_ values: [Int64], tone: Tone, label: String) -> HTML {
    let most = values.max() ?? 0
    let step = 96 / Double(max(1, values.count))
    let scale = Scale(0, Double(most), to: 0, 15)
    let bars = values.enumerated().filter { $0.element > 0 }.map { index, value in
      let height = max(0.7, scale(value))
      return SVG.rectangle(
        x: Double(index) * step, y: 16 - height, width: max(1, step - 1), height: height, tone.rawValue)
    }
    return SVG.drawing(96, 16, label: label, classes: "spark", bars)
  }
}
