import ControlAPI
import Foundation

/// The table of commands on the page of levels.
enum LevelText {
  private static let head = "| command | level |\n|---|---|\n"

  static func renewed(_ page: String) -> String {
    guard let table = page.range(of: head) else { preconditionFailure("the page has no table of commands") }
    let rows = CommandLevel.allCases.flatMap { level in
      CommandDescription.all.filter { $0.level == level }.map { "| `\($0.name)` | \(level.rawValue) |\n" }
    }
    let rest = page[table.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("|") }
    return page[..<table.upperBound] + rows.joined() + rest.joined(separator: "\n")
  }
}
