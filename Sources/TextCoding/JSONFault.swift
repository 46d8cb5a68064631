/// Why a text is not JSON, or not the JSON that its caller accepts.
package struct JSONFault: Error, Hashable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static let value = JSONFault("is not a JSON value")
  package static let trailing = JSONFault("text follows the end")
  package static let depth = JSONFault("is nested too deeply")
  package static let values = JSONFault("has too many values")
  package static let name = JSONFault("a name is missing")
  package static let twice = JSONFault("a name is duplicated")
  package static let surrogate = JSONFault("a string contains an unpaired surrogate")
  static let colon = JSONFault("a colon is missing")
  static let objectEnd = JSONFault("a comma or } is missing")
  static let arrayEnd = JSONFault("a comma or ] is missing")
  static let point = JSONFault("a number ends with its decimal point")
  static let exponent = JSONFault("a number has no digits in its exponent")
  static let textEnd = JSONFault("a string is not closed")
  static let control = JSONFault("a string contains a control character")
  static let escape = JSONFault("a string contains an escape that JSON does not allow")
  static let digits = JSONFault("an escape needs four hexadecimal digits")
  static let nul = JSONFault("a string contains a NUL character")
}
