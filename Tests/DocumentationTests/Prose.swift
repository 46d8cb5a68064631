import TestSupport

/// The texts that people read: comments, pages and READMEs. The things that they cite must exist.
struct Prose: Sendable {
  let path: String
  /// Comments stand without their marks; what is one comment is one line, so that a citation may be wrapped.
  let text: String

  var isMarkdown: Bool { path.hasSuffix(".md") }

  /// Pages outside of the catalogues whose sentences and links are those of README.
  static let others = ["deploy/CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]

  /// Applied migrations are never edited, even if a citation is wrong.
  static func all() throws -> [Prose] {
    let code = try ["Sources", "Tests", "sql"].flatMap { try Checkout.paths($0, ["swift", "sql", "py", "c", "h"]) }
      .filter { !$0.hasPrefix("sql/migrations/") && !$0.hasSuffix("Tests/DocumentationTests/Prose.swift") }
    let pages = try RulePage.all().values + ["README.md", "sql/README.md"] + others
    return try code.map { Prose(path: $0, text: comments(try Checkout.text($0), of: $0)) }
      + pages.map { Prose(path: $0, text: try Checkout.text($0)) }
  }

  private static func comments(_ text: String, of path: String) -> String {
    if path.hasSuffix(".py") { return text }
    let mark = path.hasSuffix(".sql") ? "--" : "//"
    var comments = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let trimmed = line.drop { $0 == " " }
      if trimmed.hasPrefix(mark) {
        comments += trimmed.drop { $0 == "/" || $0 == "-" }.drop { $0 == " " } + " "
      } else if let trailing = line.firstRange(of: " \(mark) ") {
        comments += "\n\(line[trailing.upperBound...])\n"
      } else {
        comments += "\n"
      }
    }
    return comments
  }
}
