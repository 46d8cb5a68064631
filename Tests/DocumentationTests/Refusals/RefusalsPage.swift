import Foundation
import TestSupport
import Testing

/// Daemon.docc/Refusals.md: its tables.
struct RefusalsPage {
  struct Row {
    let status: String
    let rules: [String]
    let places: [String]
    let cells: [String]
  }

  static let path = "Sources/Daemon/Daemon.docc/Refusals.md"
  let text: String

  init() throws {
    text = try Checkout.text(Self.path)
  }

  /// Each row of a table below a heading with a status.
  var rows: [Row] {
    var rows: [Row] = []
    var status = ""
    var columns: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") { status = line.firstMatch(of: /\b\d{3}\b/).map { String($0.0) } ?? "" }
      guard line.hasPrefix("|"), !status.isEmpty else {
        columns = []
        continue
      }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if columns.isEmpty { columns = cells }
      guard let rule = columns.firstIndex(of: "rule"), let from = columns.firstIndex(of: "from"),
        cells.count == columns.count, cells != columns, cells[0].first != "-"
      else { continue }
      let rules = cells[rule].matches(of: /`([^`]+)`/).map { String($0.1) }
      rows.append(Row(status: status, rules: rules, places: cells[from].components(separatedBy: ", "), cells: cells))
    }
    return rows
  }

  /// With each rule of each row, from each place of it.
  var refusals: [Refusal] {
    rows.flatMap { row in
      row.rules.flatMap { rule in row.places.map { Refusal(status: row.status, rule: rule, place: $0) } }
    }
  }

  /// The page with the table of names made from sources: it has each rule of 400 that has no row with a meaning.
  func made(of found: Set<Refusal>) throws -> String {
    let described = Set(rows.filter { $0.status == "400" && $0.cells.count > 2 }.flatMap(\.rules))
    let table = try #require(text.firstRange(of: "| from | rule |\n|---|---|\n"))
    let named = found.filter { $0.status == "400" && !described.contains($0.rule) }
    let rows = Dictionary(grouping: named, by: \.place).sorted { $0.key < $1.key }.map { place, refusals in
      "| \(place) | \(refusals.map(\.rule).sorted().map { "`\($0)`" }.joined(separator: ", ")) |\n"
    }
    return String(text[..<table.upperBound]) + rows.joined()
  }
}
