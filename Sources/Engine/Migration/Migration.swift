import Schema

/// A numbered, forward-only migration, as its file says.
///
/// The file's name begins with its number. A first line `-- breaking` says that programs without this migration cannot
/// work with a database that has it; all others can.
struct Migration: Sendable {
  let number: Int32
  let name: String
  let text: String
  let isBreaking: Bool
  /// A first line `-- after: key-collation` names what must have been done before the transaction begins.
  let preparation: Preparation?
  /// A line `-- replaces: CHECKSUM` names a former text, which did the same wherever it succeeded.
  let replaces: String?

  enum Preparation: String {
    case keyCollation = "key-collation"
  }

  init(_ file: Schema.File) {
    let name = String(file.path.split(separator: "/").last ?? "")
    guard let number = Int32(name.prefix { $0.isNumber }) else {
      preconditionFailure("a migration's file name begins with its number: \(file.path)")
    }
    self.number = number
    self.name = name
    text = file.text
    isBreaking = file.text.hasPrefix("-- breaking\n")
    replaces = file.text.firstMatch(of: /(?m)^-- replaces: ([0-9a-f]{64})$/).map { String($0.1) }
    preparation = file.text.prefixMatch(of: /-- after: (.+)\n/)
      .map { match in
        guard let preparation = Preparation(rawValue: String(match.1)) else {
          preconditionFailure("\(file.path): the preparation \(match.1) is unknown")
        }
        return preparation
      }
  }
}
