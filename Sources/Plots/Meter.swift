package import Markup

/// What is used of a limit, as a bar; what exceeds the limit follows a mark.
package struct Meter: Sendable {
  private let label: String
  private let used: Int64
  private let limit: Int64

  package init(label: String, used: Int64, limit: Int64) {
    (self.label, self.used, self.limit) = (label, used, limit)
  }

  package var svg: HTML {
    let width = 290.0
    let scale = Scale(0, Double(max(used, limit, 1)), to: 0, width)
    var drawn = [SVG.rectangle(x: 0, y: 3, width: width, height: 8, "grid", radius: 2)]
    drawn.append(
      SVG.rectangle(x: 0, y: 3, width: scale(min(used, limit)), height: 8, "m1", radius: 2, title: label))
    if used > limit {
      drawn.append(
        SVG.rectangle(
          x: scale(limit), y: 3, width: width - scale(limit), height: 8, "bad", radius: 2, title: label))
    }
    drawn.append(SVG.line(scale(limit), 0, scale(limit), 14, "limit"))
    return SVG.drawing(width, 14, label: label, drawn)
  }
}
