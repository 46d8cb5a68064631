@_spi(_Unicode) import Swift

/// The rules for passwords that people choose. Source: Accounts.docc/LogIn.md, "Passwords".
package enum PasswordRules {
  /// Counted in Unicode scalars: what looks like one character can be thousands of them.
  package static let characters = 8...1000

  package static func allows(_ password: String) -> Bool {
    characters.contains(password.unicodeScalars.count)
  }

  /// A password in Unicode's form NFC: devices send one character in different ways.
  static func normalized(_ password: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in password._nfc { text.append(scalar) }
    return String(text)
  }
}
