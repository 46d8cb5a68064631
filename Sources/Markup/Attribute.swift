/// An attribute of an element; its value is escaped.
package struct Attribute: Sendable, Equatable {
  /// With the space in front of it.
  let markup: String

  /// Names that hold an address, a style or a script have no value from a text: see `link`.
  package init(_ name: StaticString, _ value: String) {
    let text = "\(name)"
    precondition(
      !text.hasPrefix("on") && !Self.reserved.contains(text), "the \(text) attribute cannot be set from text")
    self.init(name: text, value: value)
  }

  package init(_ name: StaticString, _ value: Int) { self.init(name, String(value)) }

  private init(name: String, value: String) { markup = " \(name)=\"\(HTML.escaped(value))\"" }

  private init(flag: StaticString) { markup = " \(flag)" }

  /// An attribute without a value, such as `disabled`.
  package static func flag(_ name: StaticString) -> Attribute { Attribute(flag: name) }

  /// The `href` of a path within the page: `/races/42?status=open`.
  ///
  /// No other scheme or host can come of it: empty segments are left out, since `//` begins a host.
  package static func link(_ segments: [String], _ query: [(String, String)] = []) -> Attribute {
    let path = "/" + segments.filter { !$0.isEmpty }.map(encoded).joined(separator: "/")
    let items = query.map { encoded($0.0) + "=" + encoded($0.1) }
    return Attribute(name: "href", value: path + (items.isEmpty ? "" : "?" + items.joined(separator: "&")))
  }

  /// The `href` of an element of the same page.
  package static func anchor(_ id: StaticString) -> Attribute { Attribute(name: "href", value: "#\(id)") }

  private static let reserved: Set<String> = [
    "action", "background", "cite", "data", "formaction", "href", "ping", "poster", "src", "srcdoc", "srcset", "style",
    "xlink:href",
  ]

  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  /// Percent-encoding, as PercentCoding has it; this module depends on no other one.
  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { out, byte in
      if plain.contains(byte) {
        out.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        out += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
  }
}
