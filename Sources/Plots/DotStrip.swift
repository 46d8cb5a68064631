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
  /// Among more dots than this, those of a column and a tone are one shape with one title.
  private static let titledMax = 150
  private static let radius = 2.8

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
      return SVG.nothing("no entry has a score", width: width, label: label)
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
      let placed = column.enumerated().map { Placed(dot: $1, x: scale($1.value), y: base - step * Double($0)) }
      drawn += dots.count > Self.titledMax ? merged(placed) : placed.map(Self.circle)
    }
    for line in lines {
      let (x, isRight) = (scale(line.value), scale(line.value) > width / 2)
      drawn.append(SVG.line(x, 2, x, base + 4, "now"))
      drawn.append(SVG.text(line.text, x: isRight ? x - 4 : x + 4, y: 10, "ink", isRight ? .end : .start))
    }
    for dot in dots where dot.label != nil {
      let (x, isRight) = (scale(dot.value), scale(dot.value) > width / 2)
      // Above the dots, unless a line has its name there.
      let y = lines.isEmpty ? 10 : base - 12
      drawn.append(
        SVG.text(dot.label ?? "", x: isRight ? x - 8 : x + 8, y: y, "ink b", isRight ? .end : .start))
    }
    return SVG.drawing(width, height, label: label, drawn)
  }

  private struct Placed {
    let dot: Dot
    let x: Double
    let y: Double
  }

  private static func circle(_ placed: Placed) -> HTML {
    let (dot, radius) = (placed.dot, placed.dot.label == nil ? radius : 4.5)
    return SVG.circle(x: placed.x, y: placed.y, radius: radius, dot.tone.rawValue, title: dot.title)
  }

  /// Dots that are named stay as they are.
  private func merged(_ column: [Placed]) -> [HTML] {
    let rest = Dictionary(grouping: column.filter { $0.dot.label == nil }) { $0.dot.tone }
    let paths = Tone.allCases.compactMap { tone -> HTML? in
      guard let dots = rest[tone], let low = dots.map(\.dot.value).min(), let high = dots.map(\.dot.value).max()
      else { return nil }
      guard dots.count > 1 else { return dots.first.map(Self.circle) }
      // An arc whose ends nearly meet.
      let radius = Self.radius.coordinate
      let points = dots.map {
        "M\($0.x.coordinate) \(($0.y - Self.radius).coordinate)a\(radius) \(radius) 0 1 0 .1 0z"
      }
      let values = low == high ? tick(low) : "\(tick(low)) to \(tick(high))"
      return SVG.path(points.joined(), tone.rawValue, title: "\(dots.count): \(values)")
    }
    return paths + column.filter { $0.dot.label != nil }.map(Self.circle)
  }
}
