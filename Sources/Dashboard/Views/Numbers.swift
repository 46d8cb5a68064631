import Markup

/// The numbers behind a plot: the key `t` opens them all.
enum Numbers {
  private static let rowsMax = 100

  /// `rows` beyond the first 100 are counted.
  static func html(_ label: String, _ columns: [Table.Column], _ rows: [[Table.Cell]]) -> HTML {
    guard !rows.isEmpty else { return HTML() }
    var content = [Table(label: label, columns: columns, rows: Array(rows.prefix(rowsMax))).html]
    if rows.count > rowsMax {
      content.append(.none("\(Amount.grouped(Int64(rows.count - rowsMax))) more rows are not shown"))
    }
    return .tag("div", "numbers", content)
  }
}
