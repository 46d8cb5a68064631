import Foundation
import Testing

@Suite("The modules of the daemon") struct DirectionTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources")
  /// The patterns of a module's name or its schema in Swift.
  private static let names = [
    "Racing", "CheckIns", "Seasons", "Achievements", "Strava", "Accounts", "racing.", "checkins.", "seasons.",
    "achievements.", "strava.", "accounts.",
  ]
  /// A module's own folders, its commands and their list, the composition, the tables of settlectl, the
  /// screens of the dashboard, and its routes.
  private static let own = [
    "Racing/", "CheckIns/", "Seasons/", "Achievements/", "Strava/", "Accounts/", "ControlAPI/Commands/Accounts/",
    "ControlAPI/Commands/CheckIns/", "ControlAPI/Commands/CommandDescription.swift", "ControlAPI/Commands/Racing/",
    "ControlAPI/Commands/Seasons/", "ControlAPI/Commands/Strava/",
    "Daemon/Service/Modules.swift", "CommandLineTool/", "Dashboard/Screens/", "DashboardRelay/Answers/",
    "Gateway/Racepace/", "Gateway/Team/",
    "Gateway/GRead/", "Gateway/CheckIn/", "Gateway/SignIn/",
  ]

  @Test func `the support of benchmarks and programs needs no testing library`() throws {
    // A static release, as `deploy/bench` builds it, has none.
    let tests = Self.sources.deletingLastPathComponent().appending(path: "Tests")
    for folder in ["TestSupport", "EmbeddedPostgres", "Bench", "FakeProvider", "Demo"] {
      let found = try #require(FileManager.default.enumerator(atPath: tests.appending(path: folder).path))
      let files = found.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
      #expect(!files.isEmpty, "\(folder)")
      for file in files {
        let text = try String(contentsOf: tests.appending(path: "\(folder)/\(file)"), encoding: .utf8)
        #expect(!text.contains("import Testing"), "\(folder)/\(file)")
      }
    }
  }

  @Test func `modules of the daemon are named only by their commands, the composition, settlectl and their routes`()
    throws
  {
    let found = try #require(FileManager.default.enumerator(atPath: Self.sources.path))
    let files = found.compactMap { $0 as? String }.filter { path in
      path.hasSuffix(".swift") && !Self.own.contains { path.hasPrefix($0) }
    }
    #expect(files.count > 100)
    for file in files {
      let text = try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
      let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      for line in code {
        // Where the provider is, is configuration.
        let line = line.replacing("www.strava.com", with: "")
        #expect(!Self.names.contains { line.contains($0) }, "\(file): \(line)")
      }
    }
  }
}
