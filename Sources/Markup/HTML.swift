/// HTML and SVG as text whose only way in from other text escapes it.
///
/// Escaping goes by unicode scalar: a quotation mark that is followed by a combining mark is still one.
package struct HTML: Sendable, Equatable, CustomStringConvertible {
  package private(set) var description: String

  /// Nothing.
  package init() { description = "" }

  /// Text between tags, or a value of an attribute.
  package init(text: String) { description = Self.escaped(text) }

  fileprivate init(markup: String) { description = markup }

  package var isEmpty: Bool { description.isEmpty }

  /// An element with its end tag. Scripts and styles stand in files of their own only.
  package static func element(
    _ name: StaticString, _ attributes: [Attribute] = [], _ children: [HTML] = []
  ) -> HTML {
    var out = opened(name, attributes)
    for child in children { out += child.description }
    return HTML(markup: out + "</\(name)>")
  }

  /// An element that holds one text.
  package static func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) -> HTML {
    element(name, attributes, [HTML(text: text)])
  }

  /// An element without content and end tag, such as `input` or `br`.
  package static func void(_ name: StaticString, _ attributes: [Attribute] = []) -> HTML {
    HTML(markup: opened(name, attributes))
  }

  /// Text of another's writing, such as a name: its direction does not reach what follows.
  package static func name(_ text: String) -> HTML { element("bdi", text: text) }

  package static func joined(_ parts: [HTML], by separator: HTML = HTML()) -> HTML {
    HTML(markup: parts.map(\.description).joined(separator: separator.description))
  }

  package static func + (left: HTML, right: HTML) -> HTML {
    HTML(markup: left.description + right.description)
  }

  package static func += (left: inout HTML, right: HTML) { left.description += right.description }

  private static func opened(_ name: StaticString, _ attributes: [Attribute]) -> String {
    precondition(
      !["script", "style", "iframe", "object", "embed", "base"].contains("\(name)"),
      "the \(name) element is not allowed")
    return attributes.reduce(into: "<\(name)") { $0 += $1.markup } + ">"
  }

  /// `& < > " '` become references; control characters other than tab and line feed become U+FFFD.
  static func escaped(_ text: String) -> String {
    var out = ""
    out.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\t", "\n": out.unicodeScalars.append(scalar)
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": out.unicodeScalars.append("\u{FFFD}")
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
