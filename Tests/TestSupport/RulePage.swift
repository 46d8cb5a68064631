package import Foundation

/// The checkout, as files.
package enum Checkout {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every file below a folder that has one of these endings, all of them where there are none: path below the root.
  package static func paths(_ folder: String, _ endings: [String] = []) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path()).sorted()
      .filter { path in endings.isEmpty || endings.contains { path.hasSuffix(".\($0)") } }
      .map { "\(folder)/\($0)" }
  }

  package static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}

/// A page of a module's rules, whose tables tests read: so the page and the program cannot say different things.
package struct RulePage: Sendable {
  package let name: String
  package let text: String

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Every page: by the name that comments cite, such as `Racing.docc/Settlement.md`, where it lies.
  package static func all() throws -> [String: String] {
    let pages = try Checkout.paths("Sources", ["md"]).filter { $0.contains(".docc/") }
    return Dictionary(
      uniqueKeysWithValues: pages.map { ($0.split(separator: "/").suffix(2).joined(separator: "/"), $0) })
  }

  package init(_ name: String) throws {
    guard let path = try Self.all()[name] else { throw Missing(description: "there is no page \(name)") }
    self.name = name
    text = try Checkout.text(path)
  }

  /// The rows of the first table below a heading; the heading of the page is the first of all.
  package func rows(_ section: String) throws -> [Row] {
    let below = text.split(separator: "\n", omittingEmptySubsequences: false).drop { line in
      line.first != "#" || line.drop { $0 == "#" }.dropFirst() != section
    }
    let table = below.dropFirst().drop { $0.first != "|" }.prefix { $0.first == "|" }.map(Self.cells)
    guard let columns = table.first, table.count > 2 else {
      throw Missing(description: "\(name) has no table \(section)")
    }
    return try table.dropFirst(2).map { cells in
      guard cells.count == columns.count else { throw Missing(description: "\(name), \(section): \(cells)") }
      return Row(page: name, cells: Dictionary(uniqueKeysWithValues: zip(columns, cells)))
    }
  }

  private static func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
      cell.filter { $0 != "`" }.trimmingCharacters(in: .whitespaces)
    }
  }

  /// A row by the names of its columns. Amounts are whole numbers, lists have commas, and `none` is nothing.
  package struct Row: Sendable, CustomStringConvertible {
    let page: String
    let cells: [String: String]

    package var description: String { "\(page): \(cells.sorted { $0.key < $1.key })" }

    package func text(_ column: String) throws -> String {
      guard let text = cells[column] else { throw Missing(description: "\(page) has no column \(column)") }
      return text
    }

    package func integer(_ column: String) throws -> Int64 {
      guard let number = Int64(try text(column)) else { throw Missing(description: "\(self): \(column) is no number") }
      return number
    }

    /// Nil for `none`.
    package func optional(_ column: String) throws -> String? {
      let text = try text(column)
      return text == "none" ? nil : text
    }

    package func list(_ column: String) throws -> [String] {
      try (optional(column) ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    package func integers(_ column: String) throws -> [Int64] { try list(column).compactMap { Int64($0) } }

    package func isYes(_ column: String) throws -> Bool {
      switch try text(column) {
      case "yes": true
      case "no": false
      case let other: throw Missing(description: "\(self): \(column) is neither yes nor no: \(other)")
      }
    }
  }
}
