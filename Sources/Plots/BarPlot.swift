package import Markup

/// Upright bars, each in one or more pieces.
package struct BarPlot: Sendable {
  package struct Piece: Sendable {
    package let value: Int64
    package let tone: Tone

    package init(_ value: Int64, _ tone: Tone) {
      (self.value, self.tone) = (value, tone)
    }
  }

  package struct Bar: Sendable {
    /// Stands below the bar where there is room; nil: nothing.
    package let label: String?
    /// Stands on top of it.
    package let top: String?
    package let title: String
    package let pieces: [Piece]

    package init(label: String? = nil, top: String? = nil, title: String, pieces: [Piece]) {
      (self.label, self.top, self.title, self.pieces) = (label, top, title, pieces)
    }

    /// The sum of the pieces, at most `Int64.max`; what is below zero has no height.
    var total: Int64 {
      pieces.reduce(0) { sum, piece in
        let (total, overflow) = sum.addingReportingOverflow(max(0, piece.value))
        return overflow ? .max : total
      }
    }
  }

  package enum Growth: Sendable { case linear, logarithmic }

  private let label: String
  private let bars: [Bar]
  private let growth: Growth
  private let width: Double
  private let limit: Int64?
  private let tick: @Sendable (Int64) -> String
  private let height = 138.0
  private let top = 18.0
  private let base = 118.0

  /// `tick`: the text of a value on the axis. `limit`: a line that bars should stay below.
  package init(
    label: String, bars: [Bar], growth: Growth = .linear, width: Double = 290, limit: Int64? = nil,
    tick: @escaping @Sendable (Int64) -> String
  ) {
    (self.label, self.bars, self.growth, self.width) = (label, bars, growth, width)
    (self.limit, self.tick) = (limit, tick)
  }

  package var svg: HTML {
    let totals = bars.map(\.total)
    guard let highest = totals.max(), highest > 0 else {
      return SVG.nothing("nothing yet", width: width, label: label)
    }
    let cut = max(limit ?? 0, growth == .linear ? Self.cut(totals) : highest)
    let ticks = growth == .linear ? AxisTicks.upTo(cut, count: 3) : AxisTicks.powers(upTo: cut)
    let axis = (ticks.map { tick($0).count }.max() ?? 0) * 6 + 6
    let room = width - Double(axis)
    var drawn = ticks.flatMap { value in
      [
        SVG.line(0, y(value, cut), room, y(value, cut), "grid"),
        SVG.text(tick(value), x: width, y: y(value, cut) + 4, "", .end),
      ]
    }
    let step = room / Double(bars.count)
    for (index, bar) in bars.enumerated() {
      drawn += self.drawn(bar, x: Double(index) * step, step: step, cut: cut, room: room)
    }
    drawn += names(step: step, room: room)
    drawn.append(SVG.line(0, base, room, base, "axis"))
    if let limit { drawn.append(SVG.line(0, y(limit, cut), room, y(limit, cut), "limit")) }
    return SVG.drawing(width, height, label: label, drawn)
  }

  /// The labels that overlap neither their neighbours nor the ends of the axis.
  private func names(step: Double, room: Double) -> [HTML] {
    var (drawn, free): ([HTML], Double) = ([], 0)
    for (index, bar) in bars.enumerated() {
      guard let text = bar.label else { continue }
      let (middle, half) = ((Double(index) + 0.5) * step, Double(text.count) * 3)
      guard middle - half >= free, middle + half <= room else { continue }
      drawn.append(SVG.text(text, x: middle, y: 132, "", .middle))
      free = middle + half + 6
    }
    return drawn
  }

  /// Where the axis ends: one bar that is more than twice as high as all others is cut, and a text names it.
  static func cut(_ totals: [Int64]) -> Int64 {
    let sorted = totals.sorted(by: >)
    guard sorted.count > 2, sorted[1] > 0, sorted[0] / 2 > sorted[1] else { return sorted.first ?? 0 }
    return sorted[1] + sorted[1] / 4
  }

  private func y(_ value: Int64, _ cut: Int64) -> Double {
    switch growth {
    case .linear: Scale(0, Double(cut), to: base, top)(value)
    case .logarithmic: Scale(0, Self.logarithm(cut), to: base, top)(Self.logarithm(value))
    }
  }

  /// Of base 2 by halves, so that no library of mathematics is needed; 0 for 0, and 1 for 1.
  static func logarithm(_ value: Int64) -> Double {
    guard value > 0 else { return 0 }
    let whole = 63 - value.leadingZeroBitCount
    return 1 + Double(whole) + (Double(value) / Double(Int64(1) << Int64(whole)) - 1)
  }

  private func drawn(_ bar: Bar, x: Double, step: Double, cut: Int64, room: Double) -> [HTML] {
    let (gap, middle) = (step > 6 ? 2.0 : 0.6, x + step / 2)
    var (drawn, sum): ([HTML], Int64) = ([], 0)
    for piece in bar.pieces where piece.value > 0 {
      let (next, overflow) = sum.addingReportingOverflow(piece.value)
      let (low, high) = (y(sum, cut), y(overflow ? .max : next, cut))
      sum = overflow ? .max : next
      drawn.append(
        SVG.rectangle(
          x: x + gap / 2, y: high, width: step - gap, height: max(0.7, low - high), piece.tone.rawValue,
          radius: step > 12 ? 2 : 0))
    }
    drawn = drawn.isEmpty ? [] : [SVG.titled(bar.title, drawn)]
    if sum > cut {
      let isLeft = middle < room / 2
      let long = "⇡ \(bar.title), off the scale"
      let hasRoom = Double(long.count) * 6 < (isLeft ? width - x : x + step)
      drawn.append(
        SVG.text(
          hasRoom ? long : "⇡ \(tick(sum)), off the scale", x: isLeft ? x : x + step, y: 10, "tw b",
          isLeft ? .start : .end))
    } else if let text = bar.top {
      drawn.append(SVG.text(text, x: middle, y: y(sum, cut) - 3, "ink", .middle))
    }
    return drawn
  }
}
