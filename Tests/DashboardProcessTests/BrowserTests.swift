import Foundation
import TestSupport
import Testing

@Suite("The dashboard in Chromium") struct BrowserTests {
  /// Scheme, zone and width. In deploy/test one of each; in deploy/soak all of them.
  private static let cases: [String] = {
    guard ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil else { return ["light,Europe/London,1440"] }
    return ["light", "dark"].flatMap { scheme in
      ["Europe/London", "UTC"].flatMap { zone in ["390", "1440"].map { "\(scheme),\(zone),\($0)" } }
    }
  }()

  @Test func `every screen is without a message, a report of its policy, a finding of axe and a sideways scroll`()
    async throws
  {
    let course = try await Course()
    _ = try await course.race()
    let daemon = try SettledProcess.daemon(course.database, node: "seen", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket, ["--changes"])
    let seen = try await Oracle.run("dashboard.py", [page.address] + Self.cases)
    if seen.hasPrefix("not seen: ") {
      print("The dashboard in Chromium is \(seen)")
    } else {
      let screens = try await screenCount(page)
      #expect(seen == "\(screens * Self.cases.count) screens seen\n")
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  /// As many as the shell has links in its navigation.
  private func screenCount(_ page: DashboardProcess) async throws -> Int {
    try await page.call("/").body.matches(of: /<a href="\/[a-z-]+" data-key="g/).count
  }
}
