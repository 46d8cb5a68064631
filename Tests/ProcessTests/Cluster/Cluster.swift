import Foundation
import TestSupport
import Testing

/// The cluster of deploy/cluster, each machine of it a network namespace. It ends with the test process at the latest.
struct Cluster: Sendable {
  static let machines = [1, 2, 3]

  let directory: String
  private let script: String
  /// What the addresses begin with.
  private let network: String

  /// Why there is none here; nil where there is.
  static var absence: String? {
    guard Campaign.isAlone else { return Campaign.why }
    if getuid() != 0 { return "only root makes network namespaces" }
    for program in ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/sbin/ip"]
    where !FileManager.default.isExecutableFile(atPath: program) {
      return "\(program) is missing"
    }
    return makesNamespaces() ? nil : "this machine lets nobody make network namespaces"
  }

  private static func makesNamespaces() -> Bool {
    let unshare = Process()
    unshare.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    unshare.arguments = ["--net", "true"]
    unshare.standardError = FileHandle.nullDevice
    guard (try? unshare.run()) != nil else { return false }
    unshare.waitUntilExit()
    return unshare.terminationStatus == 0
  }

  init() async throws {
    script =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path + "/deploy/cluster"
    directory = "/tmp/settled-cluster-\(UInt32.random(in: 0...UInt32.max))"
    let programs = URL(fileURLWithPath: SettledProcess.program).deletingLastPathComponent().path
    let started = try await SettledProcess(
      ["start", directory, "--namespaces", "--with", "\(getpid())"], ["SETTLED_BIN": programs], program: script
    ).finished(within: .seconds(300))
    try #require(started.exit == .code(0), "\(started.errors)\(started.output)")
    let number = try String(contentsOfFile: directory + "/number", encoding: .utf8)
    network = "10.77.\(number.trimmingCharacters(in: .whitespacesAndNewlines))"
  }

  @discardableResult
  func run(_ action: String, _ arguments: String..., within limit: Duration = .seconds(90)) async throws -> String {
    try await run(action, arguments, within: limit)
  }

  @discardableResult
  func run(_ action: String, _ arguments: [String], within limit: Duration = .seconds(90)) async throws -> String {
    let done = try await SettledProcess([action, directory] + arguments, program: script).finished(within: limit)
    try #require(done.exit == .code(0), "\(action) \(arguments): \(done.errors)\(done.output)")
    return done.output
  }

  /// Ends all of it; the directory with its logs stays where something failed.
  func stop(keepingLogs: Bool) async throws {
    try await run("stop", within: .seconds(180))
    if !keepingLogs { try FileManager.default.removeItem(atPath: directory) }
  }

  func settlectl(_ machine: Int, _ arguments: String...) async throws -> Finished {
    try await SettledProcess(
      arguments, ["SETTLED_CONTROL_SOCKET": "\(directory)/node\(machine)/control.sock"], program: SettledProcess.tool
    ).finished()
  }

  /// Both daemons and both gateways answer that they are ready.
  func isReady() async -> Bool {
    for machine in [1, 2] {
      for program in ["daemon", "gateway"] {
        let answer = try? await LoopbackClient(socket: "\(directory)/node\(machine)/\(program)-health.sock")
          .call("/health/ready")
        guard answer?.status == 200 else { return false }
      }
    }
    return true
  }

  /// Whether the Patroni of a machine answers this question with yes.
  func answers(_ question: String, _ machine: Int) async throws -> Bool {
    try await curl(["-f", "-o", "/dev/null", patroni(machine) + question]).exit == .code(0)
  }

  func curl(_ arguments: [String]) async throws -> Finished {
    try await SettledProcess(["-s", "--max-time", "5"] + arguments, program: "/usr/bin/curl").finished()
  }

  func patroni(_ machine: Int) -> String { "http://\(network).\(machine):8008" }

  func etcd(_ machine: Int) -> String { "https://\(network).\(machine):23790" }

  // MARK: Ways in

  /// The gateways behind HAProxy.
  var gateways: LoopbackClient { LoopbackClient(host: "\(network).254", port: 8080) }

  /// Signed with the gateways' key.
  func token(_ options: [String]) async throws -> String {
    let signed = try await SettledProcess(
      ["token", "--config", "\(directory)/node1/gateway.conf"] + options,
      ["CREDENTIALS_DIRECTORY": "\(directory)/secret"], program: SettledProcess.built("settled-gateway")
    ).finished()
    try #require(signed.exit == .code(0), "\(signed.errors)")
    return signed.output.trimmingCharacters(in: .newlines)
  }

  private func url(_ role: String, _ hosts: String, _ options: String = "") -> String {
    "postgresql://\(role)@\(hosts)/settled?connect_timeout=2&passfile=\(directory)/secret/pgpass\(options)"
  }

  /// Whichever machine writes, by its own address.
  func url(_ role: String) -> String {
    url(role, Self.machines.map { "\(network).\($0):54320" }.joined(separator: ","), "&target_session_attrs=read-write")
  }

  /// Whichever machine writes, through HAProxy.
  func proxyURL(_ role: String) -> String { url(role, "\(network).254:54321") }

  /// One machine, over the network.
  func url(_ role: String, of machine: Int) -> String { url(role, "\(network).\(machine):54320") }

  /// One machine, from that machine itself.
  func url(_ role: String, on machine: Int) -> String {
    url(role, "", "&host=\(directory)/node\(machine)&port=54320")
  }
}
