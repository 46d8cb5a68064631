import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The dashboard in Chromium") struct BrowserTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil

  /// Scheme, zone and width. In deploy/test one of each; in deploy/soak all of them.
  private static let cases: [String] = {
    guard isSoak else { return ["light,Europe/London,1440"] }
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
    if let seen = try await seen("dashboard.py", [page.address] + Self.cases) {
      let screens = try await screenCount(page)
      #expect(seen == "\(screens * Self.cases.count) screens seen\n")
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test func `a moderator decides by keyboard alone, in two tabs at once, and after an answer was lost`() async throws {
    let course = try await Course()
    let race = try await course.race()
    let athlete = try await course.athlete("Mona Steer")
    var others: [Int64] = []
    for name in ["Ann Other", "Bob Row", "Cid Sail"] { others.append(try await course.athlete(name)) }
    for entrant in [athlete] + others { _ = try await course.enter(entrant, race) }
    try await course.setClock("2031-06-03T12:00:00Z")
    var activities: [String] = []
    for number in 1...2 {
      let activity = try await course.outing(
        athlete, stravaId: Int64(number), at: "2031-06-03T1\(number - 1):00:00Z", maxSpeed: "9.5")
      for other in others {
        _ = try await course.session.query("SELECT racing.flag_activity(\(activity), \(other), 'other')")
      }
      activities.append(String(activity))
    }
    let daemon = try SettledProcess.daemon(course.database, node: "decided", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket, ["--changes"])
    if let done = try await seen("dashboard_tasks.py", [page.address, String(race)] + activities) {
      #expect(done == "tasks done\n")
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  /// What a browser's program prints; nil where its packages cannot be had, which a soak does not pass over.
  private func seen(_ program: String, _ arguments: [String]) async throws -> String? {
    let seen = try await Oracle.run(program, arguments)
    guard seen.hasPrefix("not seen: ") else { return seen }
    print("The dashboard in Chromium is \(seen)")
    #expect(!Self.isSoak, "\(seen)")
    return nil
  }

  /// As many as the shell has links in its navigation.
  private func screenCount(_ page: DashboardProcess) async throws -> Int {
    try await page.call("/").body.matches(of: /<a href="\/[a-z-]+" data-key="g/).count
  }
}
