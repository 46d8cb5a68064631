import Foundation
import TestSupport
import Testing

/// The documentation as HTML: `deploy/docs` into a directory of the suite.
@Suite("The site", .timeLimit(.minutes(2))) struct SiteTests {
  private static let built = Task {
    let directory = try ScratchDirectory()
    let site = directory.path + "/site"
    let done = try await SettledProcess([site], program: Checkout.root.appending(path: "deploy/docs").path()).finished()
    #expect(done.exit == .code(0), "\(done.errors)")
    return directory
  }

  private let scratch: ScratchDirectory
  private let directory: String
  /// The text of each page by its path.
  private let pages: [String: String]

  init() async throws {
    scratch = try await Self.built.value
    let directory = scratch.path + "/site"
    self.directory = directory
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasSuffix(".html") }
    pages = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)) })
  }

  @Test func `the site has each article, each manual page, README and the pages of the repository`() throws {
    let articles = try RulePage.all().keys.map {
      $0.replacing(".docc/", with: "/").replacing(".md", with: ".html")
    }
    let manual = try Checkout.paths("deploy/man").map { $0.replacing("deploy/", with: "") + ".html" }
    let contents = try #require(pages["index.html"])
    let others = Prose.others.map { String($0.split(separator: "/").last ?? "").replacing(".md", with: ".html") }
    for page in articles + manual + others + ["README.html", "sql/README.html"] {
      #expect(pages[page] != nil, "\(page)")
      #expect(contents.contains("href=\"\(page)\""), "\(page) is not in the contents")
    }
    #expect(articles.count > 80 && manual.count == 4)
  }

  @Test func `links of the site are relative and lead to a page and its anchor`() throws {
    let anchors = pages.mapValues { text in Set(text.matches(of: /\bid="([^"]+)"/).map { Self.unescaped($0.1) }) }
    var count = 0
    for (path, text) in pages {
      for match in text.matches(of: /<(\w+) [^>]*?(?:href|src|action)="([^"]*)"/) {
        let link = Self.unescaped(match.2)
        if match.1 == "a" && link.hasPrefix("https://") { continue }
        count += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        #expect(!link.hasPrefix("/") && !parts[0].contains(":"), "\(path): \(link)")
        let folder = URL(filePath: directory).appending(path: path).deletingLastPathComponent()
        let file = parts[0].isEmpty ? path : Self.path(of: folder.appending(path: parts[0]), below: directory)
        #expect(FileManager.default.fileExists(atPath: "\(directory)/\(file)"), "\(path): \(link)")
        guard parts.count > 1 else { continue }
        #expect(anchors[file]?.contains(String(parts[1])) == true, "\(path): \(link)")
      }
    }
    #expect(count > 2000)
  }

  @Test func `a page has one title, a language and landmarks`() {
    for (path, text) in pages {
      for part in ["<html lang=\"en\">", "<title>", "<h1>", "<header>", "<main id=\"main\">"] {
        #expect(text.components(separatedBy: part).count == 2, "\(path): \(part)")
      }
    }
  }

  @Test func `only the page of the search has a script, of at most 3 KiB`() throws {
    #expect(pages.filter { $0.value.contains("<script") }.keys.sorted() == ["search.html"])
    #expect(try Data(contentsOf: URL(filePath: "\(directory)/search.js")).count <= 3072)
  }

  @Test func `the index of the search has the section of a word`() throws {
    let text = try String(contentsOfFile: "\(directory)/search-index.js", encoding: .utf8)
    #expect(text.utf8.count < 1_000_000)
    let list = text.trimmingPrefix("var settledIndex = ").replacing(/;\n$/, with: "")
    let sections = try JSONDecoder().decode([[String]].self, from: Data(list.utf8))
    #expect(sections.allSatisfy { $0.count == 5 })
    let links = sections.filter { $0[3].contains("racing.enter_race()") }.map { $0[0] }
    #expect(links.contains("Racing/Entry.html#Overview"))
    #expect(
      sections.contains { $0[0] == "man/settlectl.1.html#CONTROL_COMMANDS" && $0[3].contains("settlectl drain") })
    #expect(sections.contains { $0[0] == "Engine/Cluster.html" && $0[4].contains("failover") })
  }

  @Test(arguments: [
    ("command-settlectl-race-settle", "man/settlectl.1.html#settlectl-race-settle"),
    ("rule-own-race", "Racing/Moderation.html#Clean-judges"),
    ("setting-racing.prize_rest", "Racing/Ledger.html#Prizes-rest"),
    ("settled.conf-token_key", "man/settled.conf.5.html#token_key"),
    ("function-racing.enter_race()", "Racing/Entry.html#Overview"),
    ("metric-settled_ledger_differences", "Racing/BooksDiffer.html"),
  ])
  func `the page of rules and commands leads from a name to its page`(name: String, link: String) throws {
    let page = try #require(pages["rules.html"])
    let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("<tr id=\"\(name)\">") })
    #expect(row.contains("href=\"\(link)"), "\(row)")
  }

  @Test(arguments: [
    "<doc:Nowhere>", "<doc:Sample#No-section>", "Other.docc/Other.md", "[a file](missing.md)", "![a picture](none.png)",
    "Sample.docc/Sample.md, \"No section\"", "@Unknown",
  ])
  func `deploy/docs fails and names the page where a link leads nowhere`(link: String) async throws {
    let scratch = try ScratchDirectory()
    func write(_ path: String, _ text: String) throws {
      let file = URL(filePath: "\(scratch.path)/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    for path in ["README.md", "sql/README.md"] + Prose.others { try write(path, "# Page\n\nAbstract.\n") }
    let article = "Sources/Sample/Sample.docc/Sample.md"
    let build = Checkout.root.appending(path: "deploy/site/build.py").path()
    func built() async throws -> Finished {
      try await SettledProcess(["-B", build, scratch.path, scratch.path + "/site"], program: "/usr/bin/python3")
        .finished()
    }
    let head = "# Sample\n\nAbstract.\n\n@Metadata {\n  @TechnologyRoot\n}\n\n## Overview\n\n"
    try write(article, head + "See <doc:Sample#Overview>.\n")
    #expect(try await built().exit == .code(0))
    try write(article, head + link + "\n")
    let broken = try await built()
    #expect(broken.exit == .code(1))
    #expect(broken.errors.contains(article), "\(broken.errors)")
  }

  private static func unescaped(_ text: Substring) -> String {
    let marks = [("&quot;", "\""), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
    return marks.reduce(String(text)) { text, mark in text.replacing(mark.0, with: mark.1) }
  }

  private static func path(of file: URL, below directory: String) -> String {
    String(file.standardized.path().trimmingPrefix(URL(filePath: directory).standardized.path()).trimmingPrefix("/"))
  }
}
