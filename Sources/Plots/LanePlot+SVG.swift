package import Markup

extension LanePlot {
  package var svg: HTML {
    var (y, rows, names): (Double, [HTML], [HTML]) = (Self.head, [], [])
    let step = mergeWidth
    for lane in lanes {
      let (drawn, height) = self.drawn(lane, y, step)
      rows += drawn
      names.append(SVG.line(0, y, Self.width, y, "grid"))
      names.append(SVG.text(lane.name, x: 2, y: y + height / 2 + 4, "ink b"))
      y += height
    }
    return SVG.drawing(
      Self.width, y + 6, label: label, classes: "plot lanes",
      hatches(to: y) + grid(to: y) + names + rows + present(to: y))
  }

  private func hatches(to bottom: Double) -> [HTML] {
    changes.filter { span.contains($0.at) }.flatMap { change in
      let (left, right) = (scale(change.at), scale(change.until))
      let isRight = left > Self.width / 2
      return [
        SVG.rectangle(x: left, y: 40, width: max(2, right - left), height: bottom - 40, "softwarn"),
        SVG.line(left + 3, bottom, left + max(2, right - left) - 3, 40, "hatch"),
        SVG.text(change.text, x: isRight ? right : left, y: 11, "tw b", isRight ? .end : .start),
      ]
    }
  }

  private func grid(to bottom: Double) -> [HTML] {
    ticks.filter { span.contains($0.at) }.flatMap { tick in
      let x = scale(tick.at)
      let isHidden = presentBox.map {
        x + Double(tick.text.count) * 3.5 > $0.left && x - Double(tick.text.count) * 3.5 < $0.right
      }
      return [SVG.line(x, 40, x, bottom, "grid")]
        + (isHidden ?? false ? [] : [SVG.text(tick.text, x: x, y: 35, tick.isStrong ? "ink b" : "", .middle)])
    }
  }

  /// Where the text of the present stands.
  private var presentBox: (left: Double, right: Double)? {
    guard let now, span.contains(now.at) else { return nil }
    let width = Double(now.text.count) * 7 + 10
    let left = min(scale(now.at), Self.width - width / 2) - width / 2
    return (left, left + width)
  }

  private func present(to bottom: Double) -> [HTML] {
    guard let now, let box = presentBox else { return [] }
    let x = scale(now.at)
    return [
      SVG.line(x, 38, x, bottom, "now"),
      SVG.rectangle(x: box.left, y: 24, width: box.right - box.left, height: 15, "ink", radius: 4),
      SVG.text(now.text, x: (box.left + box.right) / 2, y: 35, "nowtext", .middle),
    ]
  }

  private func drawn(_ lane: Lane, _ y: Double, _ step: Double) -> ([HTML], height: Double) {
    switch lane.content {
    case .blocks(let marks): (blocks(marks.filter(isShown), y), 36)
    case .spans(let marks): spans(marks.filter(isShown), y)
    case .dots(let rows): dots(rows, y, step)
    case .steps(let steps, let limit, let text): (self.steps(steps, limit, text, y), 48)
    }
  }

  private func blocks(_ marks: [Mark], _ y: Double) -> [HTML] {
    var (drawn, free): ([HTML], Double) = ([], Self.left)
    for mark in Self.merged(marks, scale, width: 4) {
      let x = scale(mark.at)
      drawn.append(symbol(mark, x, y + 18))
      let width = Double(mark.labels.map(\.count).max() ?? 0) * 6
      if !mark.labels.isEmpty, x - 10 - width > free {
        let classes = mark.tone == .bad ? "tb" : mark.tone == .warn ? "tw" : ""
        for (line, label) in mark.labels.prefix(2).enumerated() {
          let strong = line > 0 ? classes : classes.isEmpty ? "ink b" : classes + " b"
          drawn.append(SVG.text(label, x: x - 9, y: y + 17 + 12 * Double(line), strong, .end))
        }
      }
      free = max(free, x + 5)
    }
    return drawn
  }

  /// At most six rows; a text counts the bars that found no place.
  private func spans(_ marks: [Mark], _ y: Double) -> ([HTML], height: Double) {
    var (ends, drawn, left): ([Double], [HTML], Int) = ([], [], 0)
    for mark in marks.sorted(by: { ($0.at, $0.until ?? $0.at) < ($1.at, $1.until ?? $1.at) }) {
      let (x, end) = (scale(mark.at), max(scale(mark.at) + 3, scale(mark.until ?? mark.at)))
      let row = ends.firstIndex { $0 < x } ?? ends.count
      guard row < 6 else {
        left += 1
        continue
      }
      if row == ends.count { ends.append(end) } else { ends[row] = end }
      let top = y + 5 + 16 * Double(row)
      let hollow = mark.isHollow ? "hollow " : ""
      drawn.append(
        SVG.rectangle(
          x: x, y: top, width: end - x, height: 12, hollow + mark.tone.rawValue, radius: 3, title: mark.title))
      if let label = mark.labels.first, Double(label.count) * 6 + 10 < end - x {
        let classes = mark.isHollow ? "ink" : mark.tone == .held ? "onm3" : "onmark"
        drawn.append(SVG.text(label, x: x + 6, y: top + 9.5, classes))
      }
    }
    let height = max(26, 8 + 16 * Double(ends.count))
    if left > 0 { drawn.append(SVG.text("and \(left) more", x: 120, y: y + height - 3, "tw", .end)) }
    return (drawn, height)
  }

  private func dots(_ rows: [Row], _ y: Double, _ step: Double) -> ([HTML], height: Double) {
    let most = rows.flatMap(\.marks).map(\.weight).max() ?? 1
    let height = most > 1 ? 34.0 : max(26, 8 + 13 * Double(rows.count))
    var drawn: [HTML] = []
    for (index, row) in rows.enumerated() {
      let center = rows.count == 1 ? y + (most > 1 ? 14 : height / 2) : y + 11 + 13 * Double(index)
      if !row.name.isEmpty { drawn.append(SVG.text(row.name, x: 120, y: center + 4, "", .end)) }
      var free = Self.left
      for mark in Self.merged(row.marks.filter(isShown), scale, width: step) {
        let x = scale(mark.at)
        drawn.append(symbol(mark, x, center, most: most))
        guard let label = mark.labels.first, most > 1, mark.weight > (most - 1) / 8 else { continue }
        let half = Double(label.count) * 3 + 4
        if x - half > free {
          drawn.append(SVG.text(label, x: x, y: y + 33, "", .middle))
          free = x + half
        }
      }
    }
    return (drawn, height)
  }

  private func symbol(_ mark: Mark, _ x: Double, _ y: Double, most: Int64 = 1) -> HTML {
    let classes = (mark.isHollow ? "hollow " : "") + mark.tone.rawValue
    switch mark.shape {
    case .block:
      return SVG.rectangle(x: x - 3, y: y - 11, width: 7, height: 22, classes, radius: 2, title: mark.title)
    case .triangle: return SVG.triangle(x: x, y: y, radius: 5, classes, title: mark.title)
    case .dot(1) where mark.tone == .held:
      // Of another shape, so that colour is not the only sign.
      return SVG.rectangle(x: x - 2.5, y: y - 2.5, width: 5, height: 5, classes, title: mark.title)
    case .dot(let weight):
      let share = Double(max(1, weight)) / Double(max(1, most))
      return SVG.circle(x: x, y: y, radius: most > 1 ? 2.5 + 8 * share.squareRoot() : 3, classes, title: mark.title)
    }
  }

  private func steps(_ steps: [Step], _ limit: Int64?, _ text: String, _ y: Double) -> [HTML] {
    let most = max(limit ?? 0, steps.map(\.value).max() ?? 0, 1)
    let high = Scale(0, Double(most), to: y + 44, y + 8)
    var drawn: [HTML] = []
    for (future, classes) in [(false, "line"), (true, "dash")] {
      let points = steps.filter { $0.isFuture == future && span.contains($0.at) }
        .map { "\(scale($0.at).coordinate) \(high($0.value).coordinate)" }
      guard let first = points.first else { continue }
      drawn.append(SVG.path("M\(first)" + points.dropFirst().map { "L\($0)" }.joined(), classes))
    }
    guard let limit else { return drawn }
    drawn.append(SVG.line(Self.left, high(limit), Self.right, high(limit), "limit"))
    drawn.append(SVG.text(text, x: 120, y: high(limit) + 4, "tb", .end))
    return drawn
  }
}
