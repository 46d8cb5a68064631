import TestSupport
import Testing

/// `swift format` measures code, and breaks no comment.
@Suite("Comments") struct CommentTests {
  private static let columnsMax = 120

  /// Folders whose comments cannot be wrapped, with the reason.
  private static let exceptions = [
    "sql/migrations/": "an applied migration is checksummed, and never edited"
  ]

  private static let marks = [
    "swift": "//", "c": "//", "h": "//", "sql": "--", "sh": "#", "py": "#", "conf": "#", "cfg": "#", "yml": "#",
    "service": "#", "socket": "#", "timer": "#",
  ]

  @Test func `no comment has more than 120 columns`() throws {
    let paths = try ["Sources", "Tests", "deploy", "sql"].flatMap { try Checkout.paths($0) } + ["Package.swift"]
    var count = 0
    for path in paths where !Self.exceptions.keys.contains(where: { path.hasPrefix($0) }) {
      let name = path.split(separator: "/").last ?? ""
      let ending = name.split(separator: ".").dropFirst().last.map(String.init)
      // Programs of deploy have no ending.
      guard let mark = Self.marks[ending ?? (path.hasPrefix("deploy/") ? "sh" : "")] else { continue }
      // A folder is no text.
      guard let text = try? Checkout.text(path) else { continue }
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      where line.drop(while: { $0 == " " }).hasPrefix(mark) {
        count += 1
        if line.count > Self.columnsMax { Issue.record("\(path):\(index + 1) has \(line.count) columns") }
      }
    }
    #expect(count > 3000)
  }
}
