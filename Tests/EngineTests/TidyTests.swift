import Foundation
import TestSupport
import Testing

/// The source as files.
private enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every file below a folder with one of these endings: path below the root, and text.
  static func files(_ folder: String, _ endings: [String]) throws -> [(path: String, text: String)] {
    let base = root.appendingPathComponent(folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
    return try paths.filter { path in endings.contains { path.hasSuffix(".\($0)") } }.sorted().map { path in
      ("\(folder)/\(path)", try String(contentsOf: base.appendingPathComponent(path), encoding: .utf8))
    }
  }

  static let modules: Set<String> = Set(TidyTests.edges.keys)
}

@Suite("Tidiness") struct TidyTests {
  /// Which of our modules each may import: the table of design.md, Modules. Arrows point down only.
  static let edges: [String: Set<String>] = [
    "CLibpq": [], "CSystemd": [], "CPlatform": [], "Schema": [], "EmbedFilesTool": [], "Plugins": [],
    "Money": [], "Cron": [],
    "Postgres": ["CLibpq"],
    "EmbeddedPostgres": [],
    "Engine": ["Cron", "Postgres", "Schema"],
    "Scheduling": ["Cron", "Engine", "Postgres"],
    "Operations": ["ControlAPI", "Cron", "Engine", "Postgres", "Scheduling"],
    "Racing": ["ControlAPI", "Engine", "Money", "Postgres", "Operations", "Scheduling"],
    "Strava": ["ControlAPI", "Engine", "Postgres", "Cron", "Operations", "Scheduling"],
    "Seasons": ["ControlAPI", "Engine", "Postgres", "Operations", "Scheduling"],
    "Achievements": ["Engine", "Money", "Postgres", "Operations", "Scheduling"],
    "CheckIns": ["Engine", "Money", "Postgres", "Operations", "Scheduling"],
    "Accounts": ["ControlAPI", "Engine", "Postgres", "Operations", "Scheduling"],
    "ControlAPI": [],
    "HTTPServing": ["CPlatform"],
    "ControlServer": ["ControlAPI", "Engine", "HTTPServing", "Operations", "Scheduling"],
    "ControlClient": ["ControlAPI", "CPlatform"],
    "ServiceManager": ["CSystemd"],
    "HostProcess": ["ControlAPI", "ServiceManager"],
    "ConfigurationFiles": ["HostProcess", "ServiceManager"],
    "HostClock": ["Engine", "HostProcess", "Postgres"],
    "Daemon": [
      "Accounts", "Achievements", "CheckIns", "ConfigurationFiles", "ControlAPI", "ControlServer", "Engine",
      "HTTPServing",
      "HostClock", "HostProcess", "Operations", "Postgres", "Racing", "Scheduling", "Seasons", "ServiceManager",
      "Strava",
    ],
    "Demo": ["Accounts", "Daemon", "EmbeddedPostgres", "Engine", "HostClock", "HostProcess", "Money", "Postgres"],
    "CommandLineTool": ["ControlAPI", "ControlClient", "Money"],
    "Gateway": [
      "ConfigurationFiles", "ControlAPI", "HTTPServing", "HostProcess", "Postgres", "ServiceManager",
    ],
    "settled-gateway": ["Gateway"],
    "FakeProvider": [],
    "settled": ["Daemon", "Demo"],
    "settlectl": ["CommandLineTool"],
  ]

  @Test("every module imports only what the design allows it")
  func moduleEdges() throws {
    var seen: Set<String> = []
    for (path, text) in try Repository.files("Sources", ["swift"]) {
      let module = String(path.split(separator: "/")[1])
      let allowed = try #require(Self.edges[module], "\(module) is not in the table of modules")
      seen.insert(module)
      for line in text.split(separator: "\n") {
        guard let imported = line.firstMatch(of: /^(?:@\w+ )?(?:\w+ )?import (?:struct |enum |class |func )?(\w+)/)?.1
        else { continue }
        let isOurs = Repository.modules.contains(String(imported))
        #expect(!isOurs || allowed.contains(String(imported)), "\(path) imports \(imported)")
      }
    }
    #expect(seen.isSuperset(of: ["Engine", "Racing", "Postgres", "Daemon", "settled"]))
  }

  @Test("an entry point holds nothing but its call", arguments: ["settled", "settlectl", "settled-gateway"])
  func entryPoints(module: String) throws {
    for (path, text) in try Repository.files("Sources", ["swift"]) where path.hasPrefix("Sources/\(module)/") {
      #expect(text.split(separator: "\n").count <= 5, "\(path)")
    }
  }

  @Test("no file has more than 400 lines", arguments: ["Sources", "Tests", "sql", "deploy"])
  func lengths(folder: String) throws {
    let files = try Repository.files(folder, ["swift", "sql", "c", "h", "sh", "md"])
    #expect(!files.isEmpty || folder == "deploy")
    for (path, text) in files {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 401, "\(path) has \(lines) lines")
    }
  }

  @Test("shellcheck finds nothing in a script")
  func scripts() async throws {
    let root = Repository.root.path
    let names =
      try FileManager.default.subpathsOfDirectory(atPath: root + "/deploy").map { "deploy/\($0)" } + [".ci/run"]
    let scripts = names.filter { name in
      FileManager.default.contents(atPath: "\(root)/\(name)").map { $0.starts(with: Data("#!/bin/sh".utf8)) } ?? false
    }
    #expect(Set(scripts).isSuperset(of: [".ci/run", "deploy/test", "deploy/prepare", "deploy/systemd/checks"]))
    let checked = try await SettledProcess(
      ["-c", "cd \"$0\" && shellcheck \"$@\"", root] + scripts, program: "/bin/sh"
    ).finished()
    #expect(checked.exit == .code(0), "\(checked.output)\(checked.errors)")
  }

  @Test("no test sleeps for a while and hopes")
  func sleeping() throws {
    for (path, text) in try Repository.files("Tests", ["swift"]) where !path.hasSuffix("TidyTests.swift") {
      for word in ["Task.sleep", "Thread.sleep"] {
        let isThere = text.contains(word)
        #expect(!isThere, "\(path) contains \(word)")
      }
    }
  }
}
