import Foundation
import TestSupport
import Testing

/// `Package.swift` as SwiftPM reads it: the only list of edges.
private struct Manifest: Decodable {
  struct Target: Decodable {
    /// The names of a dependency on a target or a product; whichever is there comes first in a list of other values.
    struct Dependency: Decodable {
      let byName: [String?]?
      let target: [String?]?
      let product: [String?]?

      var name: String? { (byName ?? target ?? product)?.first ?? nil }
    }

    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]

    var folder: String { path ?? (type == "test" ? "Tests/" : "Sources/") + name }
    var names: Set<String> { Set(dependencies.compactMap(\.name)) }
  }

  let targets: [Target]

  private static let shared = Task { try await dump() }

  static func read() async throws -> Manifest { try await shared.value }

  /// With a scratch directory of its own, because `swift test` has locked the other one.
  private static func dump() async throws -> Manifest {
    let scratch = try ScratchDirectory()
    let dump = try await SettledProcess(
      [
        "-c", "swift package --package-path \"$0\" --scratch-path \"$1\" dump-package", Repository.root.path,
        scratch.path,
      ],
      ["HOME": scratch.path], program: "/bin/sh"
    ).finished()
    try #require(dump.exit == .code(0), "\(dump.errors)")
    return try JSONDecoder().decode(Manifest.self, from: Data(dump.output.utf8))
  }
}

@Suite("The edges between modules") struct ManifestTests {
  /// A module knows those on the lines above its own, and none on its own line.
  private static let levels: [Set<String>] = [
    ["CLibpq", "COpenSSL", "CPlatform", "CSystemd", "EmbedFilesTool"],
    [
      "Cron", "EmbedFiles", "Markup", "Money", "Postgres", "Schema", "ServiceManager", "StopSignals", "SystemCrypto",
      "TextCoding",
    ],
    ["ControlAPI", "OneTimeTokens", "Plots"],
    ["ControlClient", "Dashboard", "Engine", "HTTPServing", "HostProcess"],
    ["ConfigurationFiles", "DashboardRelay", "HTTPRouting", "HostClock", "Scheduling"],
    ["Operations"],
    [
      "Accounts", "Achievements", "CheckIns", "CommandLineTool", "ControlServer", "Gateway", "Racing", "Seasons",
      "Strava",
    ],
    ["Daemon"],
    ["settled", "settled-gateway", "settlectl"],
  ]

  /// Modules of the tool chain, which no manifest names.
  private static let system: Set<String> = [
    "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Synchronization", "Testing",
  ]

  /// Products whose module has another name.
  private static let modules = ["_CryptoExtras": "CryptoExtras"]

  @Test func `the manifest lists exactly the module edges that imports need`() async throws {
    let manifest = try await Manifest.read()
    // A test that starts a program depends on it, and does not import it.
    let programs = Set(manifest.targets.filter { $0.type == "executable" }.map(\.name))
    for target in manifest.targets where !["system", "plugin"].contains(target.type) {
      var imported: Set<String> = []
      for (_, text) in try Repository.files(target.folder, ["swift"]) {
        for line in text.split(separator: "\n") {
          let name = line.firstMatch(of: /^(?:@\w+ )?(?:\w+ )?import (?:struct |enum |class |func )?(\w+)/)?.1
          if let name { imported.insert(String(name)) }
        }
      }
      let declared = Set(target.names.map { Self.modules[$0] ?? $0 }).subtracting(programs)
      #expect(imported.subtracting(Self.system) == declared, "\(target.name)")
    }
  }

  @Test func `module edges point down`() async throws {
    let manifest = try await Manifest.read()
    let products = manifest.targets.filter { $0.folder.hasPrefix("Sources/") || $0.folder == "sql" }
    #expect(Set(products.map(\.name)) == Self.levels.reduce(into: []) { $0.formUnion($1) })
    let ours = Set(products.map(\.name))
    for target in products {
      let level = try #require(Self.levels.firstIndex { $0.contains(target.name) }, "\(target.name) has no level")
      let below = Self.levels[..<level].reduce(into: Set<String>()) { $0.formUnion($1) }
      let upward = target.names.intersection(ours).subtracting(below)
      #expect(upward.isEmpty, "\(target.name) knows \(upward.sorted())")
    }
  }

  @Test func `no module of a package links a target of Tests, such as the demo and its PostgreSQL`() async throws {
    let targets = try await Manifest.read().targets
    let ofTests = Set(targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.name))
    #expect(ofTests.isSuperset(of: ["EmbeddedPostgres", "FakeProvider", "TestSupport", "settled-demo"]))
    for target in targets where !target.folder.hasPrefix("Tests/") {
      #expect(target.names.isDisjoint(with: ofTests), "\(target.name) links \(target.names.intersection(ofTests))")
    }
  }
}
