extension Unicode.Scalar {
  /// Whether it could steer a terminal, or make a line look like another one.
  ///
  /// These are control characters (ESC and the range from U+0080 to U+009F among them), line and paragraph separators,
  /// and format characters, which include those that turn the direction of writing.
  package var isUnprintable: Bool {
    if value < 0x7f { return value < 0x20 }
    return [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
  }

  /// `\u001b`; two of them beyond U+FFFF, as JSON has it.
  package var escaped: String {
    String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

extension String {
  /// The text with every scalar escaped that is unprintable: always one line.
  package var printable: String {
    var out = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.isUnprintable: out += scalar.escaped
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
