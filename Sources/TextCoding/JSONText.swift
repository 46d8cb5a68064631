/// Writes JSON without a library.
package enum JSONText {
  /// The text as a JSON string, its quotation marks included.
  package static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.isUnprintable: out += scalar.escaped
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  /// The same JSON, fit for a terminal: what is unprintable can only stand in its strings, and is escaped there.
  ///
  /// Line feeds are kept, and other white space between the elements becomes spaces.
  package static func printable(_ json: String) -> String {
    var out = ""
    for scalar in json.unicodeScalars {
      switch scalar {
      case "\n": out += "\n"
      case "\r", "\t": out += " "
      case _ where scalar.isUnprintable: out += scalar.escaped
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// An object of members that are JSON already, in the order given.
  package static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
  }

  /// One array of the elements of several; a single text stays as it is.
  package static func joined(_ arrays: [String]) -> String {
    guard arrays.count > 1 else { return arrays.first ?? "[]" }
    let inner = arrays.map { array in
      array.drop { $0.isWhitespace }.dropFirst().reversed().drop { $0.isWhitespace }.dropFirst().reversed()
    }
    return "[" + inner.filter { $0.contains { !$0.isWhitespace } }.map { String($0) }.joined(separator: ", ") + "]"
  }

  package static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }
}
