import Foundation
import TestSupport
import Testing

@Suite("The search of the site") struct SiteSearchTests {
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"), "chromium is not installed"))
  func `the search finds the sections with all words, opened from a disk in Chromium`() async throws {
    let scratch = try ScratchDirectory()
    let site = scratch.path + "/site"
    let built = try await SettledProcess([site], program: Checkout.root.appending(path: "deploy/docs").path())
      .finished()
    try #require(built.exit == .code(0), "\(built.errors)")
    func found(_ query: String) async throws -> String {
      let page = "file://\(site)/search.html?q=\(query)"
      let seen = try await SettledProcess(
        [
          "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(scratch.path)/profile", "--dump-dom", page,
        ], program: "/usr/bin/chromium"
      ).finished()
      try #require(seen.exit == .code(0), "\(seen.errors)")
      return seen.output
    }
    let both = try await found("enter_race+fee")
    #expect(both.contains("<li><a href=\"Racing/Entry.html#Overview\">Entry: Overview</a>"), "\(both)")
    #expect(both.contains("<mark>enter_race</mark>"))
    let none = try await found("enter_race+nosuchword")
    #expect(none.contains(">0 sections</p>") && !none.contains("<li>"), "\(none)")
  }
}
