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

  @Test func `README leads to each catalogue`() throws {
    for catalogue in CatalogueTests.catalogues {
      #expect(page.contains("(\(catalogue)/"), "\(catalogue)")
    }
  }
}
