/// Rows under headings, within a width.
///
/// Columns are as wide as their widest cell. If that is too much they move closer, then the widest column that may
/// shrink wraps its cells, between words if possible: nothing is ever cut. On a terminal of less than 80 columns no
/// word is broken: rows that are still too wide are blocks of headings and cells.
struct Table {
  struct Column {
    let heading: String
    var isRight = false
    var shrinks = false

    var least: Int { max(8, heading.count) }

    static func left(_ heading: String, shrinks: Bool = false) -> Column {
      Column(heading: heading, shrinks: shrinks)
    }

    static func right(_ heading: String) -> Column { Column(heading: heading, isRight: true) }
  }

  struct Row {
    let cells: [String]
    /// A separate line below the cells, wrapped: text that must not be cut.
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
    let isNarrow = !style.keepsRows && Self.blockWidths.contains(style.width)
    let layout = layout(within: style.keepsRows ? .max : style.width, breaksWords: !isNarrow)
    if isNarrow, layout.width > style.width { return blocks(style) }
    var lines = [style(line(columns.map(\.heading), layout), .bold)]
    for row in rows {
      for text in wrapped(row.cells, layout) { lines.append(row.colour.map { style(text, $0) } ?? text) }
      for piece in Printable.wrap(row.detail ?? "", to: style.width - 4) { lines.append("    " + piece) }
    }
    return lines.joined(separator: "\n")
  }

  /// Narrower blocks would be no better than wide rows.
  private static let blockWidths = 40..<80

  private func blocks(_ style: Style) -> String {
    rows.map { row in
      let block = Pairs.text(Array(zip(columns.map(\.heading), row.cells)), style)
      let detail = Printable.wrap(row.detail ?? "", to: style.width - 4).map { "    " + $0 }
      return ([row.colour.map { style(block, $0) } ?? block] + detail).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  private struct Layout {
    var widths: [Int]
    var gap = 2

    var width: Int { widths.reduce(0, +) + gap * (widths.count - 1) }
  }

  private func layout(within limit: Int, breaksWords: Bool) -> Layout {
    let natural = Layout(
      widths: columns.indices.map { index in
        ([columns[index].heading] + rows.map { $0.cells[index] }).map(\.count).max() ?? 0
      })
    var closer = natural
    closer.gap = 1
    let words = columns.indices.map { index in
      rows.flatMap { $0.cells[index].split(separator: " ") }.map(\.count).max() ?? 0
    }
    let none = columns.map { _ in 0 }
    let shrunk = (breaksWords ? [words, none] : [words]).flatMap { words in
      [natural, closer].map { self.shrunk($0, to: limit, words: words) }
    }
    return ([natural, closer] + shrunk).first { $0.width <= limit } ?? shrunk[shrunk.count - 1]
  }

  /// `words`: no column becomes narrower than this.
  private func shrunk(_ layout: Layout, to limit: Int, words: [Int]) -> Layout {
    var layout = layout
    let least = columns.indices.map { max(columns[$0].least, words[$0]) }
    while layout.width > limit {
      let candidates = columns.indices.filter { columns[$0].shrinks && layout.widths[$0] > least[$0] }
      guard let widest = candidates.max(by: { layout.widths[$0] < layout.widths[$1] }) else { break }
      layout.widths[widest] -= 1
    }
    return layout
  }

  /// The lines of a row: more than one where a cell is wider than its column.
  private func wrapped(_ cells: [String], _ layout: Layout) -> [String] {
    let pieces = cells.indices.map { index in
      cells[index].count <= layout.widths[index]
        ? [cells[index]] : Printable.wrap(cells[index], to: layout.widths[index])
    }
    let height = pieces.map(\.count).max() ?? 1
    return (0..<height).map { row in line(pieces.map { row < $0.count ? $0[row] : "" }, layout) }
  }

  private func line(_ cells: [String], _ layout: Layout) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: layout.widths[index] - cell.count)
      line += index == 0 ? "" : String(repeating: " ", count: layout.gap)
      line += columns[index].isRight ? padding + cell : cell + padding
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
