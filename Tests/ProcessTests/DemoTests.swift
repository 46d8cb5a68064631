import Foundation
import TestSupport
import Testing

@Suite("The demo") struct DemoTests {
  @Test func `the demo exits 0 with payouts and balanced books, and repeats itself for one seed`()
    async throws
  {
    let first = try await Demo.run(["--seed", "7"])
    #expect(first.exit == .code(0), "\(first.errors)")
    #expect(first.errors.isEmpty)
    for text in [
      "The race calendar has made the 160 races", "34 entries", "89 entries", "145 entries", "42 entries", "£25.25",
      "£329.75", " 0 differences", "void", "kill -9: the daemon is gone.", "is ended, and the wallets hold",
      "A new daemon finds the race",
      "Pacific/Auckland     03-28 3/0   03-29 2/1   03-30 1/1   03-31 0/1",
      "America/Los_Angeles  03-28 3/0   03-29 2/1   03-30 1/1\n",
    ] {
      #expect(first.output.contains(text), "\(text) is missing in \(first.output)")
    }
    let second = try await Demo.run(["--seed", "7"])
    #expect(second.output == first.output)
    let other = try await Demo.run(["--seed", "8"])
    #expect(other.exit == .code(0))
    #expect(other.output != first.output)
  }

  @Test func `the demo keeps tokens of all athletes fresh with a provider`() async throws {
    let provider = try await FakeProvider(clientSecret: "secret")
    let demo = try await Demo.run(["--provider", provider.url])
    #expect(demo.exit == .code(0), "\(demo.errors)")
    let ends = demo.output.matches(
      of: /: (\d+) connections have a token that lasts, 0 are lost\..*exchanged (\d+) codes/)
    #expect(ends.count == 4)
    for end in ends { #expect(end.1 == end.2) }
    let report = try await provider.report()
    #expect(report.parallel == 0 && report.refusedGrants == 0 && report.rotations == 4 * report.exchanges)
  }

  @Test(arguments: ["Starting a private PostgreSQL", "The races fill", "Leaders:", "is settled", "The books"])
  func `SIGTERM ends the demo with 0 at any moment, without a process or directory left`(after line: String)
    async throws
  {
    let demo = try Demo.start([])
    #expect(await demo.output.contains(line), "\(demo.errors.text)")
    let descendants = try ProcessTree.below(demo.pid)
    let directories = Set(descendants.compactMap { $0.commandLine.firstMatch(of: /\/tmp\/settled-pg\.\w+/)?.output })
    demo.terminate()
    #expect(try await demo.exit() == .code(0), "\(demo.errors.text)")
    // A session that is still connecting shows the server's last word.
    let ending = "WARNING:  terminating connection due to immediate shutdown command\n"
    #expect(demo.errors.text.replacing(ending, with: "").isEmpty, "\(demo.errors.text)")
    for process in descendants where !process.commandLine.contains("settled-test") {
      #expect(!FileManager.default.fileExists(atPath: "/proc/\(process.pid)"), "\(process) is left")
    }
    for directory in directories {
      #expect(!FileManager.default.fileExists(atPath: String(directory)))
    }
    #expect(line.hasPrefix("Starting") || directories.count == 1)
  }

  @Test func `a served demo's curl lines work as printed, and SIGTERM leaves nothing`() async throws {
    let port = try LoopbackPort.unused()
    let demo = try Demo.start(["--serve", "--port", "\(port)"])
    #expect(await demo.output.contains("api/stats/summary'\n"), "\(demo.output.text) \(demo.errors.text)")
    let said = demo.output.text
    let systems = ["/races", "/deposit", "/enter", "/moderation/", "/api/v1/points/earn", "/gread/v2/", "/api/age/"]
    for text in systems + ["racer@", "coach@", "moderator@", "reader@", "check-in@", "payments@"] {
      #expect(said.contains(text), "\(text) is missing in \(said)")
    }
    let lines = said.split(separator: "\n").filter { $0.hasPrefix("  curl ") }
    #expect(lines.count == 13)
    for line in lines {
      let answer = try await Self.shell("\(line) -w ' %{http_code}'")
      #expect([" 200", " 201"].contains { answer.output.hasSuffix($0) }, "\(line): \(answer.output)")
    }

    let operators = said.split(separator: "\n").filter { $0.contains("/settlectl ") }
    #expect(operators.count == 5)
    for line in operators where !line.contains(" watch ") {
      let answer = try await Self.shell(line)
      #expect(answer.exit == .code(0) && !answer.output.isEmpty, "\(line): \(answer.output) \(answer.errors)")
    }
    #expect(said.contains("kill -9: the daemon is gone."))

    let dashboard = try #require(said.split(separator: "\n").last).split(whereSeparator: { " #".contains($0) })
    let page = "curl -sS -w ' %{http_code}' \(dashboard[0])"
    #expect(try await Self.shell("\(page)overview").output.hasSuffix(" 200"))
    #expect(try await Self.shell("\(page)page/overview").output.hasSuffix(" 401"))
    let overview = try await Self.shell("\(page)page/overview -H 'Authorization: Bearer \(dashboard[1])'")
    #expect(overview.output.hasSuffix(" 200") && overview.output.contains("race-settlement"), "\(overview)")

    // Money is paid in once, and a second program says why it cannot have the port.
    let deposit = try #require(lines.first { $0.contains("/deposit") })
    let (once, again) = (try await Self.shell(deposit), try await Self.shell(deposit))
    #expect(once.output == again.output)
    let second = try await Demo.run(["--serve", "--port", "\(port)"])
    #expect(second.exit == .code(75))
    #expect(second.errors.contains("127.0.0.1:\(port) is taken by another program: name another port with --port"))

    let left = try Leavings(of: demo)
    #expect(left.directories.count == 2, "\(left.directories)")
    demo.terminate()
    #expect(try await demo.exit() == .code(0), "\(demo.errors.text)")
    #expect(demo.errors.text.isEmpty)
    #expect(left.stillThere().isEmpty)
  }

  @Test func `a killed demo takes its gateway and key with it`() async throws {
    let demo = try Demo.start(["--serve", "--port", "\(LoopbackPort.unused())"])
    #expect(await demo.output.contains("The races fill"), "\(demo.errors.text)")
    let left = try Leavings(of: demo)
    let directory = try #require(left.directories.first { $0.contains("settled-demo") })
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(left.processes.contains { $0.commandLine.contains("settled-gateway") })
    #expect(FileManager.default.fileExists(atPath: "\(directory)/gateway/credentials/gateway-signing-key"))
    demo.killHard()
    try await untilTrue("the end of \(left.stillThere())") {
      left.stillThere() == [directory] && !FileManager.default.fileExists(atPath: "\(directory)/gateway")
    }
  }

  @Test(arguments: [["--port", "8080"], ["--gateway", "/bin/true"], ["--serve", "--port", "0"]])
  func `the demo's port and gateway options need --serve`(arguments: [String]) async throws {
    let refused = try await Demo.run(arguments)
    #expect(refused.exit == .code(64))
  }

  @Test func `a gateway that does not start is reported by the demo with its last words`() async throws {
    let missing = try await Demo.run(["--serve", "--gateway", "/nowhere"])
    #expect(missing.exit == .code(69) && missing.errors.contains("there is no program /nowhere"))
    let port = try LoopbackPort.unused()
    let wrong = try await Demo.run(["--serve", "--port", "\(port)", "--gateway", "/bin/false"])
    #expect(wrong.exit == .code(69) && wrong.errors.contains("the gateway does not start"))
  }

  private static func shell(_ line: some StringProtocol) async throws -> Finished {
    try await SettledProcess(["-c", String(line)], program: "/bin/sh").finished()
  }
}

/// The program settled-demo.
private enum Demo {
  static func start(_ arguments: [String]) throws -> SettledProcess {
    try SettledProcess(arguments, program: SettledProcess.built("settled-demo"))
  }

  static func run(_ arguments: [String]) async throws -> Finished {
    try await start(arguments).finished(within: .seconds(240))
  }
}

/// The traces that a demo must not leave behind.
private struct Leavings: Sendable {
  let processes: [ProcessTree]
  let directories: Set<String>

  init(of demo: SettledProcess) throws {
    processes = try ProcessTree.below(demo.pid).filter { !$0.commandLine.contains("settled-test") }
    directories = Set(
      processes.compactMap { $0.commandLine.firstMatch(of: /\/[\w\/]+\/settled-(pg\.\w+|demo\.\d+)/)?.output.0 }.map {
        String($0)
      })
  }

  /// Processes and directories that are there now.
  func stillThere() -> [String] {
    let manager = FileManager.default
    return processes.filter { manager.fileExists(atPath: "/proc/\($0.pid)") }.map { "\($0)" }
      + directories.filter { manager.fileExists(atPath: $0) }
  }
}

/// A port of 127.0.0.1.
private enum LoopbackPort {
  /// One that nobody listens on.
  static func unused() throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound)
    return UInt16(bigEndian: address.sin_port)
  }
}
