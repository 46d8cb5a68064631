/// The rules for passwords that people choose. Source: Accounts.docc/LogIn.md, "Passwords".
package enum PasswordRules {
  /// Counted in Unicode scalars: what looks like one character can be thousands of them.
  package static let characters = 8...1000

  package static func allows(_ password: String) -> Bool {
    characters.contains(password.unicodeScalars.count)
  }
}
