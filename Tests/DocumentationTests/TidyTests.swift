import Foundation
import TestSupport
import Testing

/// The source as files.
enum Repository {
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
}

@Suite("Tidiness") struct TidyTests {
  @Test(arguments: ["settled", "settlectl", "settled-gateway"])
  func `an entry point contains only its call`(module: String) throws {
    for (path, text) in try Repository.files("Sources", ["swift"]) where path.hasPrefix("Sources/\(module)/") {
      #expect(text.split(separator: "\n").count <= 5, "\(path)")
    }
  }

  @Test(arguments: ["Sources", "Tests", "sql", "deploy"])
  func `no file has more than 400 lines`(folder: String) throws {
    let files = try Repository.files(folder, ["swift", "sql", "c", "h", "sh", "md"])
    #expect(!files.isEmpty || folder == "deploy")
    // Generated, and read by search.
    for (path, text) in files
    where path != "sql/schema.sql" && !path.hasSuffix("SQL.md") && !path.hasSuffix("/Figures.md") {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 401, "\(path) has \(lines) lines")
    }
  }

  @Test func `shellcheck finds nothing in a script`() async throws {
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

  @Test func `no test sleeps and hopes`() throws {
    for (path, text) in try Repository.files("Tests", ["swift"]) where !path.hasSuffix("TidyTests.swift") {
      for word in ["Task.sleep", "Thread.sleep"] {
        let isThere = text.contains(word)
        #expect(!isThere, "\(path) contains \(word)")
      }
    }
  }
}
