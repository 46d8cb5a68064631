import Markup

/// A table with a heading for each column.
struct PageTable {
  struct Column {
    let name: String
    let isNumber: Bool

    static func text(_ name: String) -> Column { Column(name: name, isNumber: false) }
    static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
  }

  struct Cell {
    let content: HTML
    let classes: String

    static func html(_ content: HTML, _ classes: String = "") -> Cell { Cell(content: content, classes: classes) }
    static func text(_ text: String, _ classes: String = "") -> Cell { Cell(content: .text(text), classes: classes) }
    /// Of another's writing, as long as it likes: its beginning is shown, and all of it in the title up to a limit.
    static func name(_ text: String, _ classes: String = "") -> Cell {
      Cell(content: .cut(text), classes: classes)
    }
    static let empty = Cell(content: HTML(), classes: "")
  }

  let label: String
  let columns: [Column]
  let rows: [[Cell]]
  var classes = ""
  /// Whether the keys `j` and `k` move between the rows' links.
  var isList = false

  /// The table; where it has no rows, a sentence.
  func html(orElse nothing: String) -> HTML { rows.isEmpty ? .none(nothing) : html }

  var html: HTML {
    let head = columns.map { column in
      // A heading without words would be announced as one.
      column.name.isEmpty
        ? HTML.element("td")
        : .element(
          "th", [Attribute("scope", "col")] + (column.isNumber ? [Attribute("class", "num")] : []), text: column.name)
    }
    let body = rows.map { row in
      HTML.tag(
        "tr", "",
        zip(row, columns).map { cell, column in
          let classes = [column.isNumber ? "num" : "", cell.classes].filter { !$0.isEmpty }.joined(separator: " ")
          return .tag("td", classes, [cell.content])
        })
    }
    return .scroll(
      label,
      .tag(
        "table", classes,
        [
          .tag("thead", "", [.tag("tr", "", head)]),
          .element("tbody", isList ? [.flag("data-list")] : [], body),
        ]))
  }
}

extension HTML {
  private static let shownMax = 120
  private static let titleMax = 400

  /// A text of another's writing: at most 120 characters of it, and 400 in the title.
  static func cut(_ text: String) -> HTML {
    let scalars = text.unicodeScalars
    guard scalars.count > shownMax else { return .name(text) }
    return .element(
      "bdi", [Attribute("title", text.cut(titleMax))], text: text.cut(shownMax))
  }
}

extension String {
  /// The first scalars and an ellipsis, where there are more.
  func cut(_ max: Int) -> String {
    unicodeScalars.count <= max ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(max))) + "…"
  }
}
