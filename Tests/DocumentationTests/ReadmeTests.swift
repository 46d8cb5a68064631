import ControlAPI
import Foundation
import TestSupport
import Testing

/// The first page that a newcomer reads: short, and every way from it leads somewhere.
@Suite("The README") struct ReadmeTests {
  private let page: String

  init() throws {
    page = try Checkout.text("README.md")
  }

  @Test func `README has 1,300 words at most`() {
    let words = page.split(whereSeparator: \.isWhitespace).count
    #expect(words <= 1300, "\(words) words")
  }

  @Test func `links and pictures of README lead to files of the repository`() {
    let targets = page.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
    for target in targets {
      #expect(FileManager.default.fileExists(atPath: Checkout.root.appending(path: target).path()), "\(target)")
    }
    #expect(targets.count > 30)
  }

  @Test(arguments: Prose.others)
  func `links of the pages outside of the catalogues lead to files, their sections, or the web`(path: String) throws {
    let folder = Checkout.root.appending(path: path).deletingLastPathComponent()
    for match in try Checkout.text(path).matches(of: /\]\(([^)#]+)(?:#([^)]+))?\)/)
    where !match.1.hasPrefix("https://") {
      let target = folder.appending(path: String(match.1)).standardized
      let page = try #require(try? String(contentsOf: target, encoding: .utf8), "\(path): \(match.1)")
      let sections = page.matches(of: /(?m)^#+ (.+)$/).map { $0.1.lowercased().replacing(" ", with: "-") }
      #expect(match.2.map { sections.contains(String($0)) } ?? true, "\(path): \(match.0)")
    }
  }

  @Test func `the changelog begins with what is not released, and has the program's version once`() throws {
    let headings = try Checkout.text("deploy/CHANGELOG.md").matches(of: /(?m)^## \[([^\]]+)\]/).map { String($0.1) }
    #expect(headings.first == "Unreleased")
    #expect(headings.count { $0 == Version.current } == 1)
  }

  @Test func `README names the program's version`() {
    #expect(page.contains("This is version \(Version.current),"))
  }

  @Test func `README leads to each catalogue`() throws {
    for catalogue in CatalogueTests.catalogues {
      #expect(page.contains("(\(catalogue)/"), "\(catalogue)")
    }
  }
}
