import Engine
import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// A cluster whose processes can be stopped where they stand: connections are taken, and nothing is answered.
private struct HungCluster {
  let cluster: EmbeddedPostgres

  init() async throws {
    cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "60"])
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
  }

  func owner() async throws -> Connection {
    try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "owner"))
  }

  /// Of the server and of all its sessions.
  func signal(_ signal: Int32) throws {
    let file = try String(contentsOfFile: "\(cluster.directory)/data/postmaster.pid", encoding: .utf8)
    let server = try #require(file.split(separator: "\n").first.flatMap { Int32($0) })
    kill(server, signal)
    for process in try ProcessTree.below(server) { kill(process.pid, signal) }
  }
}

@Suite("A database that hangs", .timeLimit(.minutes(6))) struct HungDatabaseTests {
  /// The manager's watchdog ends a service that is silent for so long.
  private static let watchdog: Duration = .seconds(30)

  private static func variables(_ listener: NotifyListener) -> [String: String] {
    ["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "\(watchdog.components.seconds * 1_000_000)"]
  }

  /// Waits for so many pings; each must come before the manager would lose its patience.
  private static func untilPinged(_ times: Int, _ listener: NotifyListener) async throws {
    for count in 1...times {
      try await untilTrue("ping \(count)", within: watchdog) {
        while let message = listener.next() {
          if message.contains("WATCHDOG=1") { return true }
        }
        return false
      }
    }
  }

  @Test func `a daemon with a hung database feeds the watchdog, and works when it answers again`() async throws {
    let own = try await HungCluster()
    let owner = try await own.owner()
    let listener = NotifyListener()
    let daemon = try SettledProcess.daemon(
      url: own.cluster.url(user: "settled_daemon"), node: "hung", Self.variables(listener))
    try await daemon.log("ready")
    _ = try await Herd(races: 3, entries: 4).write(owner)
    try own.signal(SIGSTOP)
    try await daemon.log("the database is unreachable")
    try await Self.untilPinged(5, listener)
    try own.signal(SIGCONT)
    try await daemon.log("the database is back")
    let races = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await own.cluster.stop()
  }

  @Test func `a daemon with addresses that never answer feeds the watchdog`() async throws {
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(silent, pointer, length) == 0 && listen(silent, 1000) == 0 && getsockname(silent, pointer, &length) == 0
      }
    }
    try #require(isListening)
    let hosts = (1...6).map { "127.0.0.\($0)" }.joined(separator: ",")
    let port = UInt16(bigEndian: address.sin_port)
    let listener = NotifyListener()
    let daemon = try SettledProcess.daemon(
      url: "host=\(hosts) port=\(port) user=settled_daemon dbname=x", node: "silent", Self.variables(listener))
    try await Self.untilPinged(6, listener)
    try await daemon.log("the database is unreachable")
    daemon.terminate()
    #expect(try await daemon.exit(within: .seconds(22)) == .code(0))
  }

  @Test func `SIGTERM ends a daemon with a hung database within 20 seconds, and the next one works`() async throws {
    let own = try await HungCluster()
    let owner = try await own.owner()
    let races = try await Herd(races: 1500, entries: 30, athletes: 200).write(owner)
    let daemon = try SettledProcess.daemon(
      url: own.cluster.url(user: "settled_daemon"), node: "hung", SettledProcess.adminsAreOurs)
    try await daemon.log("job=race-settlement")
    try own.signal(SIGSTOP)
    let asking = try (0..<6).map { _ in
      try SettledProcess(["failures"], ["SETTLED_CONTROL_SOCKET": daemon.controlSocket], program: SettledProcess.tool)
    }
    daemon.terminate()
    #expect(try await daemon.exit(within: .seconds(22)) == .code(0))
    for tool in asking { _ = try await tool.exit() }
    try own.signal(SIGCONT)
    let next = try SettledProcess.daemon(url: own.cluster.url(user: "settled_daemon"), node: "hung")
    try await owner.waitUntilSettled(races, within: .seconds(120))
    try await Books.check(owner)
    next.terminate()
    #expect(try await next.exit() == .code(0))
    await own.cluster.stop()
  }
}
