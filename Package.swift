// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A library module of the daemon. The list of its dependencies is the list of what it may know:
/// ManifestTests compares it with the imports.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// A program or a library of `Tests`: no package has it.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  module(name, dependencies, path: "Tests/\(name)")
}

func supportProgram(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path ?? "Tests/\(name)", swiftSettings: strict)
}

/// What the tests of a target need: `deploy/test TIER` runs one tier. The tier `system` is deploy/system-test.
enum Tier: String {
  /// Their own process; some run a command of the system.
  case unit
  /// A real PostgreSQL.
  case database
  /// Our programs as they run in production, with everything that surrounds them there.
  case process
}

/// SETTLED_TIER reduces the package to the tests of one tier, so that only they and their modules are built.
let chosenTier = Context.environment["SETTLED_TIER"].map { name in
  guard let tier = Tier(rawValue: name) else { fatalError("SETTLED_TIER must be unit, database or process") }
  return tier
}

func tests(_ name: String, _ tier: Tier, _ dependencies: [Target.Dependency]) -> [Target] {
  guard chosenTier == nil || chosenTier == tier else { return [] }
  return [.testTarget(name: name, dependencies: dependencies, swiftSettings: strict)]
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

/// The test targets, each with its tier.
let suites = [
  tests(
    "ControlTests", .unit,
    [
      "CommandLineTool", "ControlAPI", "ControlServer", "Engine", "HTTPRouting", "HTTPServing", "Operations",
      "TestSupport", "TextCoding",
    ]),
  tests("CronTests", .unit, ["Cron", "TestSupport"]),
  tests(
    "DaemonUnitTests", .unit,
    [
      "ControlServer", "Daemon", "Engine", "Gateway", "HostProcess", "Operations", "Postgres", "Racing", "Scheduling",
      "ServiceManager", "Strava", "TestSupport", logging,
    ]),
  tests(
    "DocumentationTests", .unit,
    ["CommandLineTool", "ControlAPI", "Figures", "Money", "TestSupport", "settled-texts", arguments, subprocess]),
  tests(
    "DashboardTests", .unit,
    ["ControlAPI", "Cron", "Dashboard", "DashboardRelay", "Markup", "Plots", "TestSupport", "TextCoding"]),
  tests("EngineUnitTests", .unit, ["Engine", "Postgres", "Schema", "TestSupport"]),
  tests(
    "GatewayUnitTests", .unit,
    [
      "ConfigurationFiles", "ControlAPI", "Gateway", "GatewaySupport", "HTTPRouting", "HTTPServing", "HostProcess",
      "OneTimeTokens",
      "Postgres", "TestSupport", "TextCoding", arguments, crypto, cryptoExtras, jwtKit,
    ]),
  tests("HTTPServingTests", .unit, ["HTTPServing", httpTypes]),
  tests("MoneyTests", .unit, ["Money", "TestSupport"]),
  tests("RacingUnitTests", .unit, ["Money", "Postgres", "Racing", "TestSupport"]),
  tests("SimulationUnitTests", .unit, ["Postgres", "Simulation"]),
  tests(
    "ServiceManagerTests", .unit,
    ["ServiceManager", "ServiceManagerProbe", "StopSignals", "TestSupport", subprocess, systemPackage]),

  tests("AchievementsTests", .database, ["Achievements", "Engine", "Postgres", "TestSupport"]),
  tests(
    "CheckInsTests", .database,
    ["CheckIns", "DaemonSupport", "Engine", "Operations", "Postgres", "Scheduling", "Schema", "TestSupport"]),
  tests("ContractTests", .database, ["Accounts", "Engine", "Postgres", "TestSupport"]),
  tests(
    "DaemonTests", .database,
    [
      "ControlAPI", "Daemon", "DaemonSupport", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "Schema",
      "ServiceManager", "TestSupport", "TextCoding",
    ]),
  tests(
    "EngineTests", .database,
    [
      "ControlAPI", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "Schema", "TestSupport", "TextCoding",
    ]),
  tests(
    "GatewayTests", .database,
    [
      "ControlAPI", "Gateway", "GatewaySupport", "HTTPServing", "Postgres", "TestSupport", "TextCoding",
      crypto,
      logging,
    ]),
  tests(
    "OperationsTests", .database,
    ["ControlAPI", "Cron", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "TestSupport", "TextCoding"]),
  tests("PageTests", .database, ["Cron", "Engine", "Postgres", "TestSupport"]),
  tests("PostgresTests", .database, ["Postgres", "EmbeddedPostgres", "TestSupport"]),
  tests(
    "RacingTests", .database,
    [
      "ControlAPI", "Cron", "DaemonSupport", "Engine", "Money", "Operations", "Postgres", "Racing", "TestSupport",
      "TextCoding",
    ]),
  tests(
    "SchedulingTests", .database,
    ["ControlAPI", "Cron", "Engine", "Operations", "Postgres", "Scheduling", "TestSupport", "TextCoding"]),
  tests("SeasonsTests", .database, ["DaemonSupport", "Engine", "Postgres", "Seasons", "TestSupport"]),
  tests(
    "SimulationTests", .database, ["EmbeddedPostgres", "Engine", "Postgres", "Simulation", "TestSupport"]),

  tests(
    "DashboardProcessTests", .process,
    ["ControlAPI", "Dashboard", "Postgres", "TestSupport"]),
  tests(
    "ProcessTests", .process,
    [
      "ControlAPI", "ControlClient", "Daemon", "EmbeddedPostgres", "Engine", "Gateway", "HostProcess", "Postgres",
      "Schema", "Sample", "SampleDaemon", "SampleTool", "TestSupport", "TextCoding", crypto,
    ]),
  tests(
    "StravaTests", .process,
    [
      "ControlAPI", "Daemon", "DaemonSupport", "EmbeddedPostgres", "Engine", "Operations", "Postgres", "Strava",
      "TestSupport", nioCore, nioPosix, nioSSL,
    ]),
]

let package = Package(
  name: "settled",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "settled", targets: ["settled"]),
    .executable(name: "settlectl", targets: ["settlectl"]),
    .executable(name: "settled-gateway", targets: ["settled-gateway"]),
    .executable(name: "settled-demo", targets: ["settled-demo"]),
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
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

    .target(name: "CPlatform"),

    .executableTarget(name: "EmbedFilesTool", swiftSettings: strict),
    .plugin(
      name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedFilesTool"],
      path: "Sources/Plugins/EmbedFiles"),
    .target(
      name: "Schema", path: "sql", exclude: ["migrations", "functions", "catalogue", "schema.sql", "README.md"],
      swiftSettings: strict,
      plugins: ["EmbedFiles"]),

    module("Money"),
    module("Cron"),
    module("TextCoding"),
    // Not swift-crypto, whose BoringSSL takes longer to compile than all modules of the daemon.
    module("SystemCrypto", ["COpenSSL"]),
    module("OneTimeTokens", ["SystemCrypto", "TextCoding"]),
    module("Postgres", ["CLibpq"]),
    module("ServiceManager", ["CSystemd"]),
    module("ControlAPI", ["TextCoding"]),
    module("Markup"),
    module("Plots", ["Markup"]),
    module("Dashboard", ["ControlAPI", "Cron", "Markup", "Plots", "TextCoding"]),
    module("StopSignals"),
    module("HostProcess", ["ServiceManager", "TextCoding", logging]),
    module("ConfigurationFiles", ["HostProcess", "ServiceManager"]),
    module("Engine", ["Schema", "Postgres", "SystemCrypto", "TextCoding"]),
    module("Scheduling", ["Cron", "Engine", "Postgres", "TextCoding"]),
    module("Operations", ["ControlAPI", "Cron", "Engine", "Postgres", "Scheduling", "TextCoding"]),
    .target(
      name: "Racing",
      dependencies: [
        "ControlAPI", "Engine", "Money", "Operations", "Postgres", "Scheduling", "SystemCrypto", "TextCoding",
      ],
      exclude: ["Territory/uk-territory.geojson"], swiftSettings: strict, plugins: ["EmbedFiles"]),
    module("CheckIns", ["ControlAPI", "Engine", "Operations", "Postgres"]),
    module("Seasons", ["ControlAPI", "Engine", "Operations", "Postgres"]),
    module("Achievements", ["Engine", "Operations", "Postgres"]),
    module(
      "Accounts", ["ControlAPI", "Engine", "OneTimeTokens", "Operations", "Postgres", "Scheduling", "TextCoding"]),
    module(
      "Strava",
      [
        "ControlAPI", "Engine", "OneTimeTokens", "Operations", "Postgres", "Scheduling", "SystemCrypto", "TextCoding",
        asyncHTTPClient, nioCore,
        nioHTTP1, nioPosix, nioSSL,
      ]),
    module(
      "HTTPServing",
      ["CPlatform", hummingbird, httpTypes, logging, nioCore, nioPosix, nioHTTP1, nioHTTPTypes, nioExtras]),
    module("HTTPRouting", ["ControlAPI", "HTTPServing", "TextCoding", httpTypes]),
    module("ControlServer", ["ControlAPI", "HTTPRouting", "HTTPServing", "Operations", "TextCoding", httpTypes]),
    module("ControlClient", ["ControlAPI", "TextCoding", nioCore, nioPosix, nioHTTP1]),
    .target(
      name: "DashboardRelay",
      dependencies: [
        "CPlatform", "ControlAPI", "ControlClient", "Dashboard", "Markup", "TextCoding", nioCore, nioPosix, nioHTTP1,
      ], exclude: ["Page"], swiftSettings: strict, plugins: ["EmbedFiles"]),
    module(
      "CommandLineTool", ["ControlAPI", "ControlClient", "DashboardRelay", "StopSignals", "TextCoding", arguments]),
    .executableTarget(name: "settlectl", dependencies: ["CommandLineTool"], swiftSettings: strict),
    module("HostClock", ["Engine", "HostProcess", "Postgres"]),
    module(
      "Daemon",
      [
        "Accounts", "Achievements", "CheckIns", "ConfigurationFiles", "ControlAPI", "ControlServer", "Engine",
        "HTTPRouting", "HTTPServing", "HostClock", "HostProcess", "Operations", "Postgres", "Racing", "Scheduling",
        "Seasons", "ServiceManager", "StopSignals", "Strava", "TextCoding", logging, arguments,
      ]),
    .executableTarget(name: "settled", dependencies: ["Daemon"], swiftSettings: strict),
    module(
      "Gateway",
      [
        "ConfigurationFiles", "ControlAPI", "HTTPRouting", "HTTPServing", "HostProcess", "OneTimeTokens", "Postgres",
        "ServiceManager", "StopSignals", "TextCoding", arguments, crypto, cryptoExtras, httpTypes, jwtKit, logging,
        subprocess, systemPackage,
      ]),
    .executableTarget(name: "settled-gateway", dependencies: ["Gateway"], swiftSettings: strict),

    support("EmbeddedPostgres", ["TextCoding", subprocess, systemPackage]),
    supportProgram(
      "settled-demo",
      [
        "Daemon", "EmbeddedPostgres", "Engine", "HostClock", "HostProcess", "Money", "OneTimeTokens", "Postgres",
        "StopSignals", "TextCoding", arguments, asyncHTTPClient, nioCore, nioHTTP1, subprocess, systemPackage,
      ], path: "Tests/Demo"),
    supportProgram("FakeProvider", ["TextCoding", arguments, nioCore, nioPosix, nioHTTP1]),
    support(
      "TestSupport",
      [
        "ControlAPI", "EmbeddedPostgres", "Engine", "HostClock", "HostProcess", "Operations", "Postgres", "Schema",
        "Scheduling", "TextCoding", logging, nioCore, nioHTTP1, nioPosix, subprocess, systemPackage,
      ]),
    support(
      "DaemonSupport", ["ControlAPI", "Daemon", "Engine", "Operations", "StopSignals", "TestSupport", logging]),
    support("GatewaySupport", ["TextCoding", crypto, cryptoExtras]),
    support("Sample", ["ControlAPI", "Engine", "Operations", "Postgres", "Scheduling", "TestSupport"]),
    supportProgram("SampleDaemon", ["Daemon", "Sample"]),
    supportProgram("SampleTool", ["CommandLineTool", "ControlAPI", "ControlClient", "Sample", arguments]),
    support("Simulation", ["Engine", "Postgres"]),
    support("Figures", ["Markup"]),
    supportProgram("settled-simulate", ["Simulation", arguments], path: "Tests/Simulate"),
    supportProgram("ServiceManagerProbe", ["ServiceManager"]),
    supportProgram("settled-texts", ["ControlAPI"], path: "Tests/Texts"),
    supportProgram(
      "settled-bench",
      [
        "ControlAPI", "ControlClient", "Daemon", "EmbeddedPostgres", "Engine", "Figures", "Gateway", "HostClock",
        "HostProcess", "Postgres", "Simulation", "TestSupport", arguments, crypto,
      ], path: "Tests/Bench"),
  ] + suites.flatMap(\.self)
)
