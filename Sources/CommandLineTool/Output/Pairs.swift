/// Names and values, one pair a line, the values in one column and wrapped.
enum Pairs {
  static func text(_ pairs: [(String, String)], _ style: Style) -> String {
    let width = pairs.map { $0.0.count }.max() ?? 0
    return pairs.flatMap { name, value in
      let pieces = Printable.wrap(value, to: max(20, style.width - width - 2))
      return (pieces.isEmpty ? ["-"] : pieces).enumerated().map { index, piece in
        let label = index == 0 ? Printable.line(name) : ""
        return label + String(repeating: " ", count: max(0, width - label.count) + 2) + piece
      }
    }.joined(separator: "\n")
  }
}
