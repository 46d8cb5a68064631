import Markup

/// Names and values in a row.
enum Facts {
  static func html(_ facts: [(String, HTML)]) -> HTML {
    .tag(
      "dl", "facts",
      facts.filter { hasText($0.1) }.map { name, value in
        .tag("div", "", [.tag("dt", text: name), .tag("dd", "", [value])])
      })
  }

  private static func hasText(_ value: HTML) -> Bool {
    var isTag = false
    return value.description.utf8.contains { byte in
      if byte == UInt8(ascii: "<") { isTag = true }
      defer { if byte == UInt8(ascii: ">") { isTag = false } }
      return !isTag && byte != UInt8(ascii: " ")
    }
  }
}
