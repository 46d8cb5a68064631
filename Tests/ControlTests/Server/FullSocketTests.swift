import ControlServer
import Foundation
import HTTPServing
import Testing

/// Other users are made by a small program of its own, so these need root.
@Suite("A full socket", .enabled(if: getuid() == 0, "only root can become other users"))
struct FullSocketTests {
  /// No held connection is closed as idle, however slow the machine is.
  private static var limits: ServingLimits {
    var limits = ServingLimits()
    limits.idleAtMost = .seconds(600)
    return limits
  }

  /// Holds the connections of some readers, 40 each as far as they get them; then runs a command, and prints its end.
  private static let holder = #"""
    import os, socket, subprocess, sys
    path, target, group, users, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
    end, hold = os.pipe()
    answered = []
    for user in range(1240, 1240 + users):
      out, back = os.pipe()
      if os.fork() == 0:
        os.close(hold); os.setgroups([]); os.setresgid(group, group, group); os.setresuid(user, user, user)
        held, count = [], 0
        for _ in range(40):
          one = socket.socket(socket.AF_UNIX); one.settimeout(20); one.connect(path)
          one.sendall(("GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % target).encode())
          if b" 200 " not in one.recv(65536):
            one.close()
            break
          count += 1
          held.append(one)
        os.write(back, bytes([count])); os.read(end, 1); os._exit(0)
      answered.append(os.read(out, 1)[0])
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(answered, "exit", ended.returncode, ended.stdout, ended.stderr)
    """#

  /// The answer to a user's command while others hold all that ordinary users get: each half of what is left.
  private func whileFull(
    _ socket: String, _ target: String, users: Int = 7, uid: UInt32, gid: UInt32, groups: String, _ command: [String]
  ) async throws -> String {
    let user = ["setpriv", "--reuid", "\(uid)", "--regid", "\(gid)", "--groups", groups]
    let ended = try await run(
      ["python3", "-c", Self.holder, socket, target, "\(Served.readers)", "\(users)"] + user + command)
    let shares = [32, 16, 8, 4, 2, 1, 1].prefix(users).map(String.init).joined(separator: ", ")
    #expect(ended.output.hasPrefix("[\(shares)] "), "\(ended.output) \(ended.errors)")
    return ended.output
  }

  @Test func `a full control socket keeps room for operators, admins and root; settlectl exits 75 for others`()
    async throws
  {
    try await Served.run(limits: Self.limits) { directory, _ async throws in
      let reload = [settlectl, "reload", "--json", "--socket", directory.control]
      for (uid, group, code) in [
        (0, 0, 0), (1236, Served.admins, 0), (1237, Served.operators, 77), (1238, Served.readers, 75),
      ] {
        let said = try await whileFull(
          directory.control, "/v1/status", uid: UInt32(uid), gid: Served.readers, groups: "\(Served.readers),\(group)",
          reload)
        #expect(said.contains("exit \(code) "), "\(said)")
        #expect(said.contains("the daemon has too many connections") == (code == 75))
      }
    }
  }

  @Test func `two users do not fill a socket: a third one is answered on both`() async throws {
    try await Served.run(limits: Self.limits) { directory, _ async throws in
      for (socket, target) in [(directory.control, "/v1/status"), (directory.health, "/health/live")] {
        let call = [
          "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket, "http://x\(target)",
        ]
        let said = try await whileFull(
          socket, target, users: 2, uid: 1236, gid: Served.readers, groups: "\(Served.readers)", call)
        #expect(said.contains("exit 0 200"), "\(said)")
      }
    }
  }

  @Test func `a full health socket keeps room for root`() async throws {
    try await Served.run(limits: Self.limits) { directory, _ async throws in
      let live = ["curl", "-s", "--unix-socket", directory.health, "http://x/health/live"]
      for (uid, words) in [(0, #"{"status":"live"}"#), (1236, #""rule":"connections""#)] {
        let said = try await whileFull(
          directory.health, "/health/live", uid: UInt32(uid), gid: 1236, groups: "1236", live)
        #expect(said.contains(words), "\(said)")
      }
    }
  }
}
