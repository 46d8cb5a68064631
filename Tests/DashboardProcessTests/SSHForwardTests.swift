import Foundation
import TestSupport
import Testing

@Suite("settlectl dashboard --ssh") struct SSHForwardTests {
  /// sshd of this machine on a port of its own, with keys of its own, and `ssh` that finds it as `there`.
  private final class Host: Sendable {
    let directory: ScratchDirectory
    let server: SettledProcess
    let environment: [String: String]

    init() async throws {
      directory = try ScratchDirectory()
      let place = directory.path
      let port = try Self.freePort()
      // sshd wants this directory, which its service makes.
      try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
      for key in ["host", "user"] {
        let made = try await SettledProcess(
          ["-q", "-t", "ed25519", "-N", "", "-f", "\(place)/\(key)"], program: "/usr/bin/ssh-keygen"
        ).finished()
        try #require(made.exit == .code(0), "\(made.errors)")
      }
      let lines = [
        "ListenAddress 127.0.0.1:\(port)", "HostKey \(place)/host", "AuthorizedKeysFile \(place)/user.pub",
        "StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin yes",
      ]
      try lines.joined(separator: "\n").write(toFile: place + "/sshd_config", atomically: true, encoding: .utf8)
      server = try SettledProcess(["-D", "-e", "-f", place + "/sshd_config"], program: "/usr/sbin/sshd")
      try await server.log("Server listening on 127.0.0.1")
      // A wrapper names the configuration: everything else is what settlectl asks of the real ssh.
      let client = """
        Host there
        HostName 127.0.0.1
        Port \(port)
        User root
        IdentityFile \(place)/user
        RemoteCommand echo this is no control socket
        StrictHostKeyChecking no
        UserKnownHostsFile \(place)/known
        """
      try client.write(toFile: place + "/ssh_config", atomically: true, encoding: .utf8)
      try FileManager.default.createDirectory(atPath: place + "/bin", withIntermediateDirectories: false)
      try "#!/bin/sh\nexec /usr/bin/ssh -F \(place)/ssh_config \"$@\"\n".write(
        toFile: place + "/bin/ssh", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place + "/bin/ssh")
      try FileManager.default.createDirectory(
        atPath: place + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      environment = ["PATH": place + "/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": place + "/run"]
    }

    /// What the forwarding has left: nothing at the end.
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/run")) ?? ["?"] }

    private static func freePort() throws -> Int {
      let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(probe) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(probe, $0, length) == 0 ? getsockname(probe, $0, &length) : -1
        }
      }
      try #require(status == 0)
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "sshd that logs in its own user is root's"))
  func `the daemon of another machine is shown, and ssh ends with the dashboard however that ends`() async throws {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "far", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let host = try await Host()
    for signal in [SIGTERM, SIGKILL] {
      let page = try await DashboardProcess(daemon.controlSocket, ["--ssh", "there"], host.environment)
      #expect(try await page.call("/page/header").body.contains("<bdi>far</bdi>"))
      let sockets = host.left
      #expect(sockets.count == 1)
      var file = stat()
      let folder = host.directory.path + "/run/" + (sockets.first ?? "")
      #expect(lstat(folder, &file) == 0 && file.st_mode == S_IFDIR | 0o700)
      #expect(lstat(folder + "/control.sock", &file) == 0 && file.st_mode & 0o777 == 0o600)
      kill(page.process.pid, signal)
      _ = try await page.process.exit()
      // The kernel closes the pipe, also after SIGKILL: the remote side ends, and ssh with it.
      try await untilTrue("the end of ssh") {
        Self.programs("ssh", naming: host.directory.path).isEmpty
      }
      if signal == SIGTERM { #expect(host.left.isEmpty) }
    }
    host.server.terminate()
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  /// Processes of this name with a text in their arguments.
  private static func programs(_ name: String, naming text: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.filter { Int($0) != nil }.compactMap { id in
      let arguments = (try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8))?.split(separator: "\0")
      guard let arguments, let first = arguments.first, first.split(separator: "/").last == Substring(name),
        arguments.contains(where: { $0.contains(text) })
      else { return nil }
      return id
    }
  }

  @Test func `a host that is not there, or is an option, ends the program with the reason`() async throws {
    for (host, code) in [("-oProxyCommand=touch /tmp/x", Int32(64)), ("no-such-host.invalid", 69)] {
      let ended = try await SettledProcess(["dashboard", "--ssh=\(host)"], program: SettledProcess.tool).finished()
      #expect(ended.exit == .code(code) && ended.output.isEmpty, "\(ended.errors)")
    }
  }

  /// An `ssh` that connects for ever, and writes what it was asked.
  private static func endless(_ place: String, mode: Int) throws -> [String: String] {
    let files = FileManager.default
    try files.createDirectory(atPath: place + "/bin", withIntermediateDirectories: false)
    try "#!/bin/sh\necho \"$@\" >\(place)/asked.part\nmv \(place)/asked.part \(place)/asked\nexec sleep 600\n".write(
      toFile: place + "/bin/ssh", atomically: true, encoding: .utf8)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place + "/bin/ssh")
    try files.createDirectory(atPath: place + "/run", withIntermediateDirectories: false)
    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: place + "/run")
    return ["PATH": place + "/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": place + "/run"]
  }

  @Test(arguments: [[], ["--save", "saved"]])
  func `a signal while ssh connects ends the program, and leaves nothing behind`(_ more: [String]) async throws {
    let own = try ScratchDirectory()
    let environment = try Self.endless(own.path, mode: 0o700)
    let save = more.map { $0 == "saved" ? own.path + "/saved" : $0 }
    let process = try SettledProcess(
      ["dashboard", "--ssh", "there"] + save, environment, program: SettledProcess.tool)
    try await untilTrue("the start of ssh") { FileManager.default.fileExists(atPath: own.path + "/asked") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path + "/run").count == 1)
    process.terminate()
    #expect(try await process.exit(within: .seconds(20)) == (more.isEmpty ? .code(0) : .signal(SIGTERM)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path + "/run").isEmpty)
    #expect(Self.programs("sleep", naming: own.path).isEmpty)
  }

  @Test func `a directory that others may enter does not hold the socket`() async throws {
    let own = try ScratchDirectory()
    let environment = try Self.endless(own.path, mode: 0o755)
    let process = try SettledProcess(
      ["dashboard", "--ssh", "there"], environment, program: SettledProcess.tool)
    try await untilTrue("the start of ssh") { FileManager.default.fileExists(atPath: own.path + "/asked") }
    let asked = try String(contentsOfFile: own.path + "/asked", encoding: .utf8)
    #expect(asked.contains("-L /tmp/settlectl-"), "\(asked)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path + "/run").isEmpty)
    process.terminate()
    #expect(try await process.exit(within: .seconds(20)) == .code(0))
  }
}
