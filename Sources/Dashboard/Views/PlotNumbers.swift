import Markup

/// The numbers behind a plot: the key `t` opens them all.
enum PlotNumbers {
  private static let rowsMax = 100

  /// `rows` beyond the first 100 are counted.
  static func html(_ label: String, _ columns: [PageTable.Column], _ rows: [[PageTable.Cell]]) -> HTML {
    guard !rows.isEmpty else { return HTML() }
    var content = [PageTable(label: label, columns: columns, rows: Array(rows.prefix(rowsMax))).html]
    if rows.count > rowsMax {
      content.append(.none("\(Amount.grouped(Int64(rows.count - rowsMax))) more rows are not shown"))
    }
    return .tag("div", "numbers", content)
  }
}
