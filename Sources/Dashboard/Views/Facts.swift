import Markup

/// Names and values in a row.
enum Facts {
  static func html(_ facts: [(String, HTML)]) -> HTML {
    .tag(
      "dl", "facts",
      facts.filter { !$0.1.isEmpty }.map { name, value in
        .tag("div", "", [.tag("dt", text: name), .tag("dd", "", [value])])
      })
  }
}
