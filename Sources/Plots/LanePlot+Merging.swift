extension LanePlot {
  /// Pixels within which marks of one kind become one, so that at most `marksMax` of them are drawn.
  var mergeWidth: Double {
    let rows = lanes.flatMap { lane -> [Row] in if case .dots(let rows) = lane.content { rows } else { [] } }
      .map { $0.marks.filter(isShown) }
    var width = 0.5
    while width < 64, rows.reduce(0, { $0 + Self.merged($1, scale, width: width).count }) > marksMax { width *= 2 }
    return width
  }

  /// Neighbours that look alike and stand nearer than `width` become the first of them, with a count in the title.
  static func merged(_ marks: [Mark], _ scale: Scale, width: Double) -> [Mark] {
    var (kept, counts, last): ([Mark], [Int], [String: Int]) = ([], [], [:])
    for mark in marks.sorted(by: { $0.at < $1.at }) {
      let kind = "\(mark.tone) \(mark.isHollow) \(mark.shapeName)"
      if let index = last[kind], scale(mark.at) - scale(kept[index].at) < width {
        counts[index] += 1
        kept[index].weight = max(kept[index].weight, mark.weight)
      } else {
        last[kind] = kept.count
        kept.append(mark)
        counts.append(1)
      }
    }
    for (index, count) in counts.enumerated() where count > 1 {
      kept[index].title += ", and \(count - 1) more"
      // What stands below the name, such as pence, is that of the first alone.
      kept[index].labels = kept[index].labels.prefix(1).map { $0 + " +\(count - 1)" }
    }
    return kept
  }
}

extension LanePlot.Mark {
  var weight: Int64 {
    get { if case .dot(let weight) = shape { weight } else { 1 } }
    set { if case .dot = shape { shape = .dot(weight: newValue) } }
  }

  fileprivate var shapeName: String {
    switch shape {
    case .dot: "dot"
    case .block: "block"
    case .triangle: "triangle"
    }
  }
}
