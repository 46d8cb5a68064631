package import Markup

/// A field of values on one axis, a dot each; equal ones stand on top of each other.
package struct DotStrip: Sendable {
  package struct Dot: Sendable {
    package let value: Int64
    package let title: String
    /// One that is named beside its dot.
    package let label: String?
    package let tone: Tone

    package init(value: Int64, title: String, label: String? = nil, tone: Tone = .light) {
      (self.value, self.title, self.label, self.tone) = (value, title, label, tone)
    }
  }

  private let label: String
  private let dots: [Dot]
  private let lines: [(value: Int64, text: String)]
  private let ticks: [Int64]?
  private let tick: @Sendable (Int64) -> String
  private static let dotsMax = 600

  /// `lines`: values with a name, such as the median. `ticks`: of the axis; nil: round numbers.
  ///
  /// Dots beyond the first 600 are left out.
  package init(
    label: String, dots: [Dot], lines: [(value: Int64, text: String)] = [], ticks: [Int64]? = nil,
    tick: @escaping @Sendable (Int64) -> String
  ) {
    (self.label, self.dots, self.lines) = (label, Array(dots.prefix(Self.dotsMax)), lines)
    (self.ticks, self.tick) = (ticks, tick)
  }

  package var svg: HTML {
    let (width, height, base) = (600.0, 76.0, 56.0)
    let values = dots.map(\.value) + lines.map(\.value)
    guard let low = values.min(), let high = values.max() else {
      return SVG.nothing("nobody has a score", width: width, label: label)
    }
    let scale = Scale(Double(low), Double(high), to: 14, width - 14)
    let round = AxisTicks.between(Double(low), Double(high), count: 6).map { value in
      Int64(exactly: value.rounded(.towardZero)) ?? high
    }
    var drawn: [HTML] = (ticks ?? round).flatMap { value in
      let x = scale(value)
      return [
        SVG.line(x, 14, x, base + 4, "grid"),
        SVG.text(tick(value), x: x, y: 72, "", x < 30 ? .start : x > width - 30 ? .end : .middle),
      ]
    }
    drawn.append(SVG.line(0, base + 4, width, base + 4, "axis"))
    var columns: [Int: [Dot]] = [:]
    for dot in dots { columns[Int(scale(dot.value) / 6), default: []].append(dot) }
    for (_, column) in columns.sorted(by: { $0.key < $1.key }) {
      let step = min(6, 38 / Double(column.count))
      for (index, dot) in column.enumerated() {
        let (x, y) = (scale(dot.value), base - step * Double(index))
        drawn.append(
          SVG.circle(x: x, y: y, radius: dot.label == nil ? 2.8 : 4.5, dot.tone.rawValue, title: dot.title))
      }
    }
    for line in lines {
      let (x, isRight) = (scale(line.value), scale(line.value) > width / 2)
      drawn.append(SVG.line(x, 2, x, base + 4, "now"))
      drawn.append(SVG.text(line.text, x: isRight ? x - 4 : x + 4, y: 10, "ink", isRight ? .end : .start))
    }
    for dot in dots where dot.label != nil {
      let (x, isRight) = (scale(dot.value), scale(dot.value) > width / 2)
      drawn.append(
        SVG.text(dot.label ?? "", x: isRight ? x - 8 : x + 8, y: base - 12, "ink b", isRight ? .end : .start))
    }
    return SVG.drawing(width, height, label: label, drawn)
  }
}
