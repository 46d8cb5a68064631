// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-warnings-as-errors"]),
]

/// A library module of the daemon. The list of its dependencies is the list of what it may know.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "settled",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "settled", targets: ["settled"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

    .executableTarget(name: "EmbedFilesTool", swiftSettings: strict),
    .plugin(
      name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedFilesTool"],
      path: "Sources/Plugins/EmbedFiles"),
    .target(
      name: "Schema", path: "sql", exclude: ["migrations", "functions"], swiftSettings: strict,
      plugins: ["EmbedFiles"]),

    module("Money"),
    module("Schedules"),
    module("Postgres", ["CLibpq"]),
    module("EmbeddedPostgres", [subprocess, systemPackage]),
    module("Engine", ["Schedules", "Schema", "Postgres"]),
    .target(
      name: "Racing", dependencies: ["Engine", "Money", "Postgres"], exclude: ["Territory/uk-territory.geojson"],
      swiftSettings: strict, plugins: ["EmbedFiles"]),
    module("Daemon", ["Engine", "EmbeddedPostgres", "Money", "Postgres", "Racing", "Schema", logging, arguments]),
    .executableTarget(name: "settled", dependencies: ["Daemon"], swiftSettings: strict),

    .target(
      name: "TestSupport",
      dependencies: ["Daemon", "EmbeddedPostgres", "Engine", "Postgres", "Racing", logging, subprocess, systemPackage],
      path: "Tests/TestSupport", swiftSettings: strict),
    tests("MoneyTests", ["Money", "TestSupport"]),
    tests("PostgresTests", ["Postgres", "EmbeddedPostgres", "TestSupport"]),
    tests("EngineTests", ["EmbeddedPostgres", "Engine", "Postgres", "Schedules", "Schema", "TestSupport"]),
    tests("RacingTests", ["Racing", "Engine", "Money", "Postgres", "TestSupport"]),
    tests("ProcessTests", ["Daemon", "EmbeddedPostgres", "Engine", "Postgres", "TestSupport"]),
  ]
)
