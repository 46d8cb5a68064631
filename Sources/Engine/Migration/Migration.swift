import Schema

/// A numbered, forward-only migration, read from its file.
///
/// The file's name begins with its number. A first line `-- breaking` means that programs without this migration cannot
/// work with a database that has it; without the line they can.
struct Migration: Sendable {
  let number: Int32
  let name: String
  let text: String
  let isBreaking: Bool
  /// A first line `-- after: key-collation` names a step that must be complete before the transaction begins.
  let preparation: Preparation?
  /// A line `-- replaces: CHECKSUM` of its head names a former text, which had the same effect wherever it succeeded.
  let replaces: String?

  /// The head is the comment at the file's beginning, of at most this many lines.
  private static let headMax = 20

  enum Preparation: String {
    case keyCollation = "key-collation"
  }

  init(_ file: Schema.File) {
    let name = String(file.path.split(separator: "/").last ?? "")
    guard let number = Int32(name.prefix { $0.isNumber }) else {
      preconditionFailure("a migration's file name must begin with its number: \(file.path)")
    }
    self.number = number
    self.name = name
    text = file.text
    isBreaking = file.text.hasPrefix("-- breaking\n")
    let head = file.text.split(separator: "\n", maxSplits: Self.headMax, omittingEmptySubsequences: false)
      .prefix(Self.headMax).prefix { $0.hasPrefix("-- ") }
    func value(_ key: String) -> String? {
      head.first { $0.hasPrefix("-- \(key): ") }.map { String($0.dropFirst(key.utf8.count + 5)) }
    }
    replaces = value("replaces")
    preparation = value("after").map { name in
      guard let preparation = Preparation(rawValue: name) else {
        preconditionFailure("\(file.path): the preparation \(name) is unknown")
      }
      return preparation
    }
  }
}
