import Operations
import Engine
import ControlAPI
import ControlServer
import Foundation
import Testing

/// Other users are made with setpriv, so these need root.
@Suite("Peers by the kernel's credentials", .enabled(if: getuid() == 0, "only root can become other users"))
struct PeerTests {
  private func curl(
    _ socket: String, _ target: String, post: Bool = false, uid: UInt32, gid: UInt32, groups: [UInt32]
  ) async throws -> String {
    let list = groups.map(String.init).joined(separator: ",")
    let identity =
      ["--reuid", "\(uid)", "--regid", "\(gid)"] + (groups.isEmpty ? ["--clear-groups"] : ["--groups", list])
    let method = post ? ["-X", "POST"] : []
    let ended = try await run(
      ["setpriv"] + identity + ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket] + method
        + ["http://settled\(target)"])
    return ended.output
  }

  @Test func `an ordinary user reads health, and the file mode denies control`() async throws {
    try await Served.run { directory, _ async throws in
      #expect(try await curl(directory.health, "/health/ready", uid: 1234, gid: 1234, groups: []) == "200")
      #expect(try await curl(directory.control, "/v1/status", uid: 1234, gid: 1234, groups: []) == "000")
    }
  }

  @Test func `a user past the file mode without a level is denied, even for unknown paths`() async throws {
    try await Served.run { directory, _ async throws in
      chmod(directory.control, 0o666)
      #expect(try await curl(directory.control, "/v1/status", uid: 1234, gid: 1234, groups: [5, 6]) == "403")
      #expect(try await curl(directory.control, "/nothing", uid: 1234, gid: 1234, groups: []) == "403")
      #expect(try await curl(directory.control, "/openapi.json", uid: 1234, gid: 1234, groups: []) == "403")
    }
  }

  @Test(arguments: [false, true])
  func `primary and supplementary groups count, also behind 40 others`(primary: Bool) async throws {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      func ask(_ target: String, post: Bool, _ group: UInt32) async throws -> String {
        let others = Array(50000..<50040 as Range<UInt32>)
        return primary
          ? try await curl(directory.control, target, post: post, uid: 1234, gid: group, groups: [Served.readers])
          : try await curl(
            directory.control, target, post: post, uid: 1234, gid: 1234, groups: others + [Served.readers, group])
      }
      for (group, codes) in [
        (Served.readers, ["200", "403", "403"]), (Served.operators, ["200", "200", "403"]),
        (Served.admins, ["200", "200", "200"]),
      ] {
        #expect(try await ask("/v1/status", post: false, group) == codes[0])
        #expect(try await ask("/v1/drain", post: true, group) == codes[1])
        #expect(try await ask("/v1/reload", post: true, group) == codes[2])
      }
    }
    let drained = try #require(runner.calls.last { $0.command == "drain" }?.call.caller)
    #expect(drained.uid == 1234)
    #expect(drained.gid == (primary ? Served.admins : 1234))
    #expect(drained.level == .admin)
    #expect(drained.pid > 1)
  }

  @Test func `the daemon's own user reloads, and other commands are denied before their arguments are read`()
    async throws
  {
    try await Served.run { directory, _ async throws in
      let (control, own) = (directory.control, UInt32(40000))
      #expect(try await curl(control, "/v1/reload", post: true, uid: own, gid: Served.readers, groups: []) == "200")
      #expect(try await curl(control, "/v1/drain", post: true, uid: own, gid: Served.readers, groups: []) == "403")
      // The reason is missing, but a reader does not learn that.
      #expect(
        try await curl(control, "/v1/clock/accept", post: true, uid: 1234, gid: Served.readers, groups: []) == "403")
      #expect(try await curl(control, "/v1/clock/accept", post: true, uid: 0, gid: 0, groups: []) == "400")
    }
  }

  @Test func `settlectl exits 77 when the daemon denies it`() async throws {
    try await Served.run { directory, _ async throws in
      let reader = ["setpriv", "--reuid", "1234", "--regid", "\(Served.readers)", "--clear-groups"]
      let drain = try await run(reader + [settlectl, "drain", "--socket", directory.control])
      #expect(drain.code == 77)
      #expect(drain.errors == "settlectl: drain requires level operate, but yours is read (rule level)\n")
      let conflict = ["setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups"]
      let status = try await run(conflict + [settlectl, "status", "--socket", directory.control])
      #expect(status.code == 77)
      #expect(status.errors.contains("permission denied: you are not in the socket's group \(Served.readers)"))
      #expect(chmod(directory.control, 0o600) == 0)
      let closed = try await run(reader + [settlectl, "status", "--socket", directory.control])
      #expect(closed.code == 77)
      #expect(closed.errors.contains("but the socket's mode denies the group access"), "\(closed.errors)")
    }
  }

  @Test func `a reload changes the levels of users`() async throws {
    try await Served.run { directory, server async throws in
      func drain() async throws -> String {
        try await curl(
          directory.control, "/v1/drain", post: true, uid: 1234, gid: 1234, groups: [Served.readers, 60000])
      }
      #expect(try await drain() == "403")
      server.authorize(with: Authorizer(ownUser: 1, readers: Served.readers, operators: 60000, admins: nil))
      #expect(try await drain() == "200")
    }
  }
}
