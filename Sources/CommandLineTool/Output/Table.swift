/// Rows under headings, within a width.
///
/// Columns are as wide as their widest cell; where that is too much, the widest column that may shrink is cut.
struct Table {
  struct Column {
    let heading: String
    var isRight = false
    var shrinks = false

    static func left(_ heading: String, shrinks: Bool = false) -> Column {
      Column(heading: heading, shrinks: shrinks)
    }

    static func right(_ heading: String) -> Column { Column(heading: heading, isRight: true) }
  }

  struct Row {
    let cells: [String]
    /// A line of its own below the cells, wrapped: what must not be cut.
    var detail: String?
    var colour: Style.Colour?

    init(_ cells: [String], detail: String? = nil, colour: Style.Colour? = nil) {
      self.cells = cells.map(Printable.line)
      self.detail = detail
      self.colour = colour
    }
  }

  let columns: [Column]
  let rows: [Row]

  func text(_ style: Style) -> String {
    let widths = widths(within: style.width)
    var lines = [style(line(columns.map(\.heading), widths), .bold)]
    for row in rows {
      let text = line(row.cells, widths)
      lines.append(row.colour.map { style(text, $0) } ?? text)
      for piece in Printable.wrap(row.detail ?? "", to: style.width - 4) { lines.append("    " + piece) }
    }
    return lines.joined(separator: "\n")
  }

  private func widths(within limit: Int) -> [Int] {
    var widths = columns.indices.map { index in
      ([columns[index].heading] + rows.map { $0.cells[index] }).map(\.count).max() ?? 0
    }
    while widths.reduce(0, +) + 2 * (widths.count - 1) > limit {
      let candidates = columns.indices.filter { columns[$0].shrinks && widths[$0] > 8 }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = Printable.cut(cell, to: widths[index])
      let padding = String(repeating: " ", count: widths[index] - text.count)
      line += (index == 0 ? "" : "  ") + (columns[index].isRight ? padding + text : text + padding)
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
