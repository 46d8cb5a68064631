import ArgumentParser
import CommandLineTool
import ControlAPI
import Foundation
import TestSupport
import Testing

/// Each thing that a comment or a page cites exists.
///
/// One form for each: `Racing.docc/Settlement.md, "Ties"` is a page and its section. A path begins with a folder at
/// the top. In backticks, `settlectl race cancel` is a command, `racing.enter_race()` a function,
/// `racing.entry_cutoff` a name of the schema.
@Suite("Citations") struct CitationTests {
  static let schemas = "accounts|achievements|checkins|gateway|racing|seasons|settled|strava"

  /// Phrases of earlier texts that read as translated. The folders of the test have none of them left.
  private static let marked = [
    "abroad", "anew", "are told", "by itself", "go on", "goes on", "going on", "has come by", "is told",
    "lets nobody in", "no longer true that", "not any more", "of ours", "see to", "sees to", "speak of", "speaks of",
    "the page before", "went on", "what came of", "what is under way", "whatever",
  ]

  /// A program returns, sends, stores or shows; these verbs stay in tests only.
  private static let spoken = ["says", "tells"]

  private let prose: [Prose]

  init() throws {
    prose = try Prose.all()
  }

  @Test func `cited pages and sections exist`() throws {
    let pages = try RulePage.all()
    var count = 0
    for each in prose {
      for match in each.text.matches(of: /(\w+\.docc\/[\w-]+\.md)(?:, "([^"]+)")?/) {
        count += 1
        let name = String(match.1)
        guard let path = pages[name] else {
          Issue.record("\(each.path) cites \(name)")
          continue
        }
        guard let section = match.2 else { continue }
        let headings = try Checkout.text(path).matches(of: /(?m)^#+ (.+)$/).map(\.1)
        #expect(headings.contains(section), "\(each.path) cites \(name), \"\(section)\"")
      }
    }
    #expect(count > 80)
  }

  @Test func `comments cite no document outside the repository`() throws {
    let known = try Set(RulePage.all().keys).union(["README.md", "sql/README.md"])
    for each in prose where !each.isMarkdown {
      for match in each.text.matches(of: /[\w.\/-]+\.md\b/) where !known.contains(String(match.0)) {
        Issue.record("\(each.path) cites \(match.0)")
      }
      #expect(each.text.firstMatch(of: /\b[Ii]ssue \d+\b|\bseeds\//) == nil, "\(each.path) cites what is not here")
    }
  }

  @Test func `no text has a phrase that reads as translated`() throws {
    let product =
      try Checkout.paths("Sources", ["swift", "md", "html", "js"])
      + Checkout.paths("sql/functions", ["sql"]) + Checkout.paths("deploy/man")
    // These two list words.
    let lists = ["DocumentationTests/CitationTests.swift", "DocumentationTests/TestNameTests.swift"]
    let tests = try Checkout.paths("Tests", ["swift"]).filter { path in !lists.contains { path.hasSuffix($0) } }
    for (paths, phrases) in [(product, Self.marked + Self.spoken), (tests, Self.marked)] {
      for path in paths {
        let text = try Checkout.text(path).lowercased()
        for phrase in phrases where text.contains(phrase) {
          let word = try Regex("\\b\(phrase)\\b")
          for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
          where line.contains(word) {
            Issue.record("\(path):\(index + 1) has \"\(phrase)\"")
          }
        }
      }
    }
  }

  @Test func `cited files exist`() throws {
    let all = try Set(["Sources", "Tests", "deploy", "sql"].flatMap { try Checkout.paths($0) })
    let names = Set(all.map { $0.split(separator: "/").last.map(String.init) ?? $0 }).union(["Package.swift"])
    for each in prose {
      for match in each.text.matches(of: /\b(?:Sources|Tests|deploy|sql)\/[\w.\/+-]*[\w]/) {
        let isThere = all.contains(String(match.0)) || all.contains { $0.hasPrefix(match.0 + "/") }
        #expect(isThere, "\(each.path) cites \(match.0)")
      }
      // The code of a page may name files that it makes.
      let text = each.isMarkdown ? each.text.replacing(/```[^`]*```/, with: "") : each.text
      for match in text.matches(of: /\b[A-Za-z0-9][\w+-]*\.(?:swift|sql|py)\b/)
      where !names.contains(String(match.0)) {
        Issue.record("\(each.path) cites \(match.0)")
      }
    }
  }

  @Test func `cited commands exist`() throws {
    for each in prose {
      for match in each.text.matches(of: /`settlectl ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/) {
        #expect(Self.isCommand(match.1), "\(each.path) cites settlectl \(match.1)")
      }
      guard each.isMarkdown else { continue }
      for match in each.text.matches(of: /(?m)^settlectl ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/) {
        #expect(Self.isCommand(match.1), "\(each.path) cites settlectl \(match.1)")
      }
    }
    let sources = try Checkout.paths("Sources", ["swift"]).map(Checkout.text).joined()
    for each in prose {
      for match in each.text.matches(of: /`settled(?:-gateway)? ([a-z][a-z-]*)(?:`| --)/) {
        let isThere = sources.contains("commandName: \"\(match.1)\"")
        #expect(isThere, "\(each.path) cites settled \(match.1)")
      }
    }
  }

  /// Whether words are a command; what follows a whole one are its arguments.
  static func isCommand(_ words: Substring) -> Bool {
    var command: any ParsableCommand.Type = SettlectlCommand.self
    for word in words.split(separator: " ") {
      let choices = command.configuration.subcommands
      guard !choices.isEmpty else { return true }
      guard let next = choices.first(where: { $0.configuration.commandName == String(word) }) else { return false }
      command = next
    }
    return true
  }

  @Test func `cited functions, settings and tables exist`() throws {
    // The migrator makes its own tables.
    let own = ["Sources/Engine/Migration/MigrationStatements.swift"]
    let code = try (Checkout.paths("sql", ["sql"]) + own).map(Checkout.text).joined(separator: "\n").replacing(
      /(?m)--.*$/, with: "")
    let functions = Set(code.matches(of: /CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW) (\w+\.\w+)/).map { String($0.1) })
    let names = Set(code.matches(of: try Regex("\\b(?:\(Self.schemas))\\.\\w+")).map { String(code[$0.range]) })
    #expect(functions.count > 300)
    // Files such as settled.socket, and commands such as race.cancel, have such names too.
    let paths = try ["Sources", "deploy", "sql"].flatMap { folder in try Checkout.paths(folder) }
    let files = paths.compactMap { path in path.split(separator: "/").last.map(String.init) }
    let known = names.union(files).union(CommandDescription.all.map(\.name))
    for each in prose {
      for match in each.text.matches(of: /`(\w+\.\w+)\(\)`/) where !functions.contains(String(match.1)) {
        // Swift's own calls have an object in front, no schema.
        let isSchema = Self.schemas.split(separator: "|").contains { match.1.hasPrefix("\($0).") }
        #expect(!isSchema && !each.isMarkdown, "\(each.path) cites \(match.1)()")
      }
      for match in each.text.matches(
        of: try Regex("`((?:\(Self.schemas))\\.[a-z]\\w*)`", as: (Substring, Substring).self))
      {
        let isKnown = known.contains(String(match.1))
        #expect(isKnown, "\(each.path) cites \(match.1)")
      }
    }
  }
}
