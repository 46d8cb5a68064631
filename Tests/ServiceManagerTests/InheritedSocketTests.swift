import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage
import Testing

/// The real protocol: a program started by systemd-socket-activate on its first connection.
struct InheritedSocketTests {
  static let activator = tool("systemd-socket-activate")

  @Test(.enabled(if: activator != nil, "systemd-socket-activate is not installed"))
  func `inherited sockets are found by name, and close on exec`() async throws {
    let said = try await probe(["--fdname=control:health"], sockets: ["control", "health"])

    #expect(said == "control 3 closes on exec\nhealth 4 closes on exec\n")
  }

  @Test(.enabled(if: activator != nil, "systemd-socket-activate is not installed"))
  func `two inherited sockets of one name are refused`() async throws {
    let said = try await probe(["--fdname=control:control"], sockets: ["control", "health"])

    #expect(said == "ambiguousSocket: two inherited sockets are named control\n")
  }

  @Test(.enabled(if: activator != nil, "systemd-socket-activate is not installed"))
  func `an inherited datagram socket is refused`() async throws {
    let said = try await probe(["--datagram", "--fdname=control"], sockets: ["control"])

    #expect(said == "notASocket: inherited descriptor 3 (control) is not a listening unix stream socket\n")
  }

  /// The output of the probe when somebody has connected to its first socket.
  private func probe(_ options: [String], sockets: [String]) async throws -> String {
    let directory = try Directory()
    let paths = sockets.map { "\(directory.path)/\($0).sock" }
    let activator = try #require(Self.activator)
    let arguments = options + paths.flatMap { ["--listen", $0] } + [try probePath()]
    async let result = run(
      .path(FilePath(activator)), arguments: Arguments(arguments), output: .string(limit: 4096), error: .discarded)
    let isDatagram = options.contains("--datagram")
    try await eventually("nobody listens on \(paths[0])") { knock(paths[0], isDatagram: isDatagram) }
    return try await result.standardOutput
  }

  private func knock(_ path: String, isDatagram: Bool) -> Bool {
    let descriptor = socket(AF_UNIX, Int32((isDatagram ? SOCK_DGRAM : SOCK_STREAM).rawValue), 0)
    defer { close(descriptor) }
    guard withAddress(path, { connect(descriptor, $0, $1) }) == 0 else { return false }
    return send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1
  }

  /// The probe lies beside the bundle that holds this code.
  private func probePath() throws -> String {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    let bundle = try #require(
      maps.split(separator: "\n").lazy.compactMap { $0.split(separator: " ").last }.first { $0.hasSuffix(".xctest") })
    let path = bundle.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(path)/ServiceManagerProbe"
  }
}
