/// A word of a command line that a shell reads back as the same text.
enum ShellWord {
  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:@%+,".utf8)

  static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
    return "'" + text.unicodeScalars.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
  }
}
