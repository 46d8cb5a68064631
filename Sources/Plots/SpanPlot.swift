package import Markup

/// A span of time as a bar, filled up to now.
package struct SpanPlot: Sendable {
  private let label: String
  private let span: ClosedRange<Int64>
  private let now: Int64
  private let texts: (start: String, middle: String, end: String)
  private let changes: [(at: Int64, text: String)]

  /// Instants in milliseconds; `changes` are those of the clocks.
  package init(
    label: String, span: ClosedRange<Int64>, now: Int64, texts: (start: String, middle: String, end: String),
    changes: [(at: Int64, text: String)] = []
  ) {
    (self.label, self.span, self.now, self.texts, self.changes) = (label, span, now, texts, changes)
  }

  package var svg: HTML {
    let scale = Scale(Double(span.lowerBound), Double(span.upperBound), to: 6, 594)
    let x = scale(now)
    var drawn = [
      SVG.rectangle(x: 6, y: 26, width: 588, height: 12, "softwarn", radius: 4),
      SVG.rectangle(x: 6, y: 26, width: x - 6, height: 12, "m3", radius: 4, title: label),
      SVG.text(texts.start, x: 6, y: 54, "ink"), SVG.text(texts.end, x: 594, y: 54, "ink", .end),
      SVG.text(texts.middle, x: 300, y: 54, "", .middle),
    ]
    for change in changes where span.contains(change.at) {
      drawn.append(SVG.line(scale(change.at), 22, scale(change.at), 42, "hatch"))
      if abs(scale(change.at) - x) > 60 {
        drawn.append(SVG.text(change.text, x: scale(change.at), y: 18, "tw", .middle))
      }
    }
    if span.contains(now) {
      drawn.append(SVG.line(x, 22, x, 42, "now"))
      drawn.append(SVG.text("now", x: max(18, min(582, x)), y: 18, "ink b", .middle))
    }
    return SVG.drawing(600, 60, label: label, drawn)
  }
}
