/// The tags of a page, read as a browser does: by ASCII bytes.
enum Tags {
  private static let names: Set<String> = [
    "a", "b", "bdi", "button", "circle", "code", "dd", "del", "dialog", "div", "dl", "dt", "form", "g", "h2", "h3",
    "input", "ins", "kbd", "label", "li", "line", "mark", "output", "p", "path", "pre", "rect", "section", "span",
    "svg", "table", "tbody", "td", "text", "textarea", "th", "thead", "time", "title", "tr", "ul",
  ]
  private static let attributes: Set<String> = [
    "aria-current", "aria-hidden", "aria-label", "aria-labelledby", "aria-valuemax", "aria-valuemin", "aria-valuenow",
    "autocomplete", "class", "cx", "cy", "d", "datetime", "data-behind", "data-closes", "data-command", "data-due",
    "data-focus", "data-i", "data-key", "data-line", "data-list", "data-live", "data-opens", "data-points",
    "data-query",
    "data-word",
    "for", "formnovalidate", "height", "href", "id", "maxlength", "method", "name", "r", "rel", "required", "role",
    "rx", "scope", "tabindex", "text-anchor", "title", "type", "value", "viewBox", "width", "x", "x1", "x2", "y", "y1",
    "y2",
  ]

  /// Tags and attributes that no screen writes, and links that leave the page.
  static func strangers(in html: String) -> [String] {
    let bytes = Array(html.utf8)
    var (strangers, index): ([String], Int) = ([], 0)
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index += 1
        continue
      }
      if bytes[index...].starts(with: "<!-- ".utf8) {
        index += 5
        continue
      }
      var end = index + 1
      var isQuoted = false
      while end < bytes.count, isQuoted || bytes[end] != UInt8(ascii: ">") {
        if bytes[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
        end += 1
      }
      strangers += problems(String(decoding: bytes[(index + 1)..<min(end, bytes.count)], as: UTF8.self))
      index = end + 1
    }
    return strangers
  }

  private static func problems(_ tag: String) -> [String] {
    var rest = Substring(tag.unicodeScalars.first == "/" ? Substring(tag.unicodeScalars.dropFirst()) : Substring(tag))
      .unicodeScalars
    let name = String(String.UnicodeScalarView(rest.prefix { $0 != " " }))
    var problems = names.contains(name) ? [] : [name]
    rest = rest.dropFirst(name.unicodeScalars.count)
    while !rest.isEmpty {
      rest = rest.drop { $0 == " " }
      let attribute = String(String.UnicodeScalarView(rest.prefix { $0 != "=" && $0 != " " }))
      if !attributes.contains(attribute) { problems.append("\(name) \(attribute)") }
      rest = rest.dropFirst(attribute.unicodeScalars.count)
      guard rest.first == "=" else { continue }
      let value = rest.dropFirst(2).prefix { $0 != "\"" }
      if attribute == "href", value.first != "/" || value.dropFirst().first == "/" {
        problems.append("leaves the page")
      }
      rest = rest.dropFirst(value.count + 3)
    }
    return problems
  }
}
