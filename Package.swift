// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A library module of the daemon. The list of its dependencies is the list of what it may know: ManifestTests compares it
/// with the imports.
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
let hummingbird: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "_CryptoExtras", package: "swift-crypto")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")

let package = Package(
  name: "settled",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "settled", targets: ["settled"]),
    .executable(name: "settlectl", targets: ["settlectl"]),
    .executable(name: "settled-gateway", targets: ["settled-gateway"]),
    .executable(name: "fake-provider", targets: ["FakeProvider"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: []),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
  ],
  targets: [
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

    .target(name: "CPlatform"),

    .executableTarget(name: "EmbedFilesTool", swiftSettings: strict),
    .plugin(
      name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedFilesTool"],
      path: "Sources/Plugins/EmbedFiles"),
    .target(
      name: "Schema", path: "sql", exclude: ["migrations", "functions", "README.md"], swiftSettings: strict,
      plugins: ["EmbedFiles"]),

    module("Money"),
    module("Cron"),
    module("TextCoding"),
    module("OneTimeTokens", ["TextCoding", crypto]),
    module("Postgres", ["CLibpq"]),
    module("EmbeddedPostgres", ["TextCoding", subprocess, systemPackage]),
    module("ServiceManager", ["CSystemd"]),
    module("ControlAPI", ["TextCoding"]),
    module("HostProcess", ["ServiceManager", "TextCoding", logging]),
    module("ConfigurationFiles", ["HostProcess", "ServiceManager"]),
    module("Engine", ["Schema", "Postgres", "TextCoding"]),
    module("Scheduling", ["Cron", "Engine", "Postgres", "TextCoding"]),
    module("Operations", ["ControlAPI", "Cron", "Engine", "Postgres", "Scheduling", "TextCoding"]),
    .target(
      name: "Racing",
      dependencies: ["ControlAPI", "Engine", "Money", "Operations", "Postgres", "Scheduling", "TextCoding"],
      exclude: ["Territory/uk-territory.geojson"], swiftSettings: strict, plugins: ["EmbedFiles"]),
    module("CheckIns", ["Engine", "Operations", "Postgres"]),
    module("Seasons", ["ControlAPI", "Engine", "Operations", "Postgres"]),
    module("Achievements", ["Engine", "Operations", "Postgres"]),
    module("Accounts", ["ControlAPI", "Engine", "OneTimeTokens", "Operations", "Postgres", "TextCoding"]),
    module(
      "Strava",
      [
        "ControlAPI", "Engine", "Operations", "Postgres", "Scheduling", "TextCoding", asyncHTTPClient, crypto, nioCore,
        nioHTTP1, nioPosix, nioSSL,
      ]),
    module(
      "HTTPServing",
      ["CPlatform", hummingbird, httpTypes, logging, nioCore, nioPosix, nioHTTP1, nioHTTPTypes, nioExtras]),
    module("ControlServer", ["ControlAPI", "HTTPServing", "Operations", "TextCoding", httpTypes]),
    module("ControlClient", ["ControlAPI", "TextCoding", nioCore, nioPosix, nioHTTP1]),
    module("CommandLineTool", ["ControlAPI", "ControlClient", "TextCoding", arguments]),
    .executableTarget(name: "settlectl", dependencies: ["CommandLineTool"], swiftSettings: strict),
    module("HostClock", ["Engine", "HostProcess", "Postgres"]),
    module(
      "Daemon",
      [
        "Accounts", "Achievements", "CheckIns", "ConfigurationFiles", "ControlAPI", "ControlServer", "Engine",
        "HTTPServing", "HostClock", "HostProcess", "Operations", "Postgres", "Racing", "Scheduling", "Seasons",
        "ServiceManager", "Strava", "TextCoding", logging, arguments,
      ]),
    module(
      "Demo",
      [
        "Daemon", "EmbeddedPostgres", "Engine", "HostClock", "HostProcess", "Money", "OneTimeTokens", "Postgres",
        "TextCoding", arguments, asyncHTTPClient, crypto, logging, nioCore, nioHTTP1, subprocess, systemPackage,
      ]),
    .executableTarget(name: "settled", dependencies: ["Daemon", "Demo", arguments], swiftSettings: strict),
    module(
      "Gateway",
      [
        "ConfigurationFiles", "ControlAPI", "HTTPServing", "HostProcess", "OneTimeTokens", "Postgres", "ServiceManager",
        "TextCoding", arguments, crypto, cryptoExtras, httpTypes, jwtKit, logging, subprocess, systemPackage,
      ]),
    .executableTarget(name: "settled-gateway", dependencies: ["Gateway"], swiftSettings: strict),
    .executableTarget(
      name: "FakeProvider", dependencies: ["TextCoding", arguments, nioCore, nioPosix, nioHTTP1], swiftSettings: strict),

    .target(
      name: "TestSupport",
      dependencies: [
        "ControlAPI", "EmbeddedPostgres", "Engine", "HostClock", "HostProcess", "Operations", "Postgres", "Schema",
        "Scheduling",
        "TextCoding", logging, nioCore, nioHTTP1, nioPosix, subprocess, systemPackage,
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "DaemonSupport",
      dependencies: ["ControlAPI", "Daemon", "Engine", "HostProcess", "Operations", "TestSupport", logging],
      path: "Tests/DaemonSupport", swiftSettings: strict),
    .target(
      name: "Sample", dependencies: ["ControlAPI", "Engine", "Operations", "Postgres", "TestSupport"],
      path: "Tests/Sample",
      swiftSettings: strict),
    .executableTarget(
      name: "SampleDaemon", dependencies: ["Daemon", "Sample"], path: "Tests/SampleDaemon", swiftSettings: strict),
    .executableTarget(
      name: "SampleTool", dependencies: ["CommandLineTool", "ControlAPI", "ControlClient", "Sample", arguments],
      path: "Tests/SampleTool", swiftSettings: strict),
    .executableTarget(
      name: "settled-bench",
      dependencies: [
        "Daemon", "EmbeddedPostgres", "Engine", "Gateway", "HostClock", "HostProcess", "Postgres", "TestSupport",
        arguments, crypto,
      ],
      path: "Tests/Bench", swiftSettings: strict),
    .executableTarget(
      name: "settled-texts", dependencies: ["ControlAPI"], path: "Tests/Texts", swiftSettings: strict),
    tests(
      "ControlTests",
      ["CommandLineTool", "ControlAPI", "ControlServer", "Engine", "HTTPServing", "Operations", "TextCoding"]),
    tests("MoneyTests", ["Money", "TestSupport"]),
    tests("CronTests", ["Cron", "TestSupport"]),
    tests("PostgresTests", ["Postgres", "EmbeddedPostgres", "TestSupport"]),
    tests(
      "EngineTests",
      [
        "ControlAPI", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "Schema", "TestSupport", "TextCoding",
      ]),
    tests("SchedulingTests", ["ControlAPI", "Cron", "Engine", "Operations", "Postgres", "Scheduling", "TestSupport"]),
    tests(
      "OperationsTests",
      ["ControlAPI", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "TestSupport", "TextCoding"]),
    tests(
      "RacingTests",
      [
        "ControlAPI", "Cron", "DaemonSupport", "Engine", "Money", "Operations", "Postgres", "Racing", "TestSupport",
        "TextCoding",
      ]),
    tests(
      "CheckInsTests", ["CheckIns", "DaemonSupport", "Engine", "Postgres", "Scheduling", "TestSupport"]),
    tests("SeasonsTests", ["DaemonSupport", "Engine", "Postgres", "Seasons", "TestSupport"]),
    tests("AchievementsTests", ["Achievements", "Engine", "Postgres", "TestSupport"]),
    tests(
      "StravaTests",
      [
        "ControlAPI", "Daemon", "DaemonSupport", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "Strava",
        "TestSupport", nioCore, nioPosix, nioSSL,
      ]),
    tests("ContractTests", ["Accounts", "Engine", "Postgres", "TestSupport"]),
    tests(
      "GatewayTests",
      [
        "ConfigurationFiles", "ControlAPI", "Gateway", "HTTPServing", "HostProcess", "OneTimeTokens", "Postgres",
        "TestSupport", "TextCoding", arguments, crypto, cryptoExtras, jwtKit, logging,
      ]),
    tests(
      "DocumentationTests",
      [
        "CommandLineTool", "ControlAPI", "Engine", "Money", "Postgres", "Cron", "TestSupport", "settled-texts",
        arguments, subprocess,
      ]),
    tests(
      "DaemonTests",
      [
        "ControlAPI", "ControlServer", "Daemon", "DaemonSupport", "EmbeddedPostgres", "Engine", "HostProcess",
        "Operations", "Postgres", "Racing", "Schema", "ServiceManager", "TestSupport", "TextCoding", logging,
      ]),
    .executableTarget(
      name: "ServiceManagerProbe", dependencies: ["ServiceManager"], path: "Tests/ServiceManagerProbe",
      swiftSettings: strict),
    tests(
      "ServiceManagerTests", ["ServiceManager", "ServiceManagerProbe", "TestSupport", subprocess, systemPackage]),
    tests(
      "ProcessTests",
      [
        "ControlAPI", "ControlClient", "Daemon", "EmbeddedPostgres", "Engine", "Gateway", "HostProcess", "Postgres",
        "Schema",
        "Sample", "SampleDaemon", "SampleTool", "TestSupport", "TextCoding", crypto,
      ]),
  ]
)
