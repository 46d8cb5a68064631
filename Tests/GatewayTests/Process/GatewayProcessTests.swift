import Crypto
import Foundation
import GatewaySupport
import HTTPServing
import TestSupport
import Testing

@Suite("settled-gateway") struct GatewayProcessTests {
  private static let program = SettledProcess.built("settled-gateway")

  private static func environment(_ database: TestDatabase, _ directory: ScratchDirectory) -> [String: String] {
    [
      "SETTLED_GATEWAY_DATABASE_URL": database.url(), "SETTLED_GATEWAY_PUBLIC_URL": "https://settled.example",
      "SETTLED_GATEWAY_LISTEN": directory.path + "/http.sock",
      "SETTLED_GATEWAY_HEALTH_SOCKET": directory.path + "/health.sock",
    ]
  }

  private static func status(_ path: String, _ socket: String) async throws -> Int? {
    let client = try HTTPClient(.path(socket))
    await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return Reply(await client.rest())?.status
  }

  @Test func `settled-gateway prints its version, and exits 78 with its configuration errors`() async throws {
    let version = try await SettledProcess(["version"], program: Self.program).finished()
    #expect(version.exit == .code(0) && version.output.hasPrefix("settled-gateway "))
    let url = ["SETTLED_GATEWAY_DATABASE_URL": "postgresql:///a"]
    let bad = try await SettledProcess(["check-config"], url, program: Self.program).finished()
    #expect(bad.exit == .code(78))
    #expect(
      bad.errors
        == "settled-gateway: environment: public_url: is missing; set it here or in SETTLED_GATEWAY_PUBLIC_URL\n")
    let key = url.merging(["SETTLED_GATEWAY_PUBLIC_URL": "https://a.example", "SETTLED_GATEWAY_SIGNING_KEY": "secret"])
    {
      $1
    }
    let wrong = try await SettledProcess(["check-config"], key, program: Self.program).finished()
    #expect(wrong.exit == .code(78) && wrong.errors.contains("credential gateway-signing-key: "), "\(wrong.errors)")
    #expect(!wrong.errors.contains("secret\n"))
    let good = key.merging(["SETTLED_GATEWAY_SIGNING_KEY": ""]) { $1 }
    let valid = try await SettledProcess(["check-config", "--offline"], good, program: Self.program).finished()
    #expect(valid.exit == .code(0) && valid.output == "the configuration is valid (listening on 127.0.0.1:8080)\n")
    let usage = try await SettledProcess(["nonsense"], program: Self.program).finished()
    #expect(usage.exit == .code(64))
  }

  @Test func `settled-gateway signs a token with the key at hand, and prints its subject`() async throws {
    let environment = [
      "SETTLED_GATEWAY_DATABASE_URL": "postgresql:///a", "SETTLED_GATEWAY_PUBLIC_URL": "https://a.example",
      "SETTLED_GATEWAY_SIGNING_KEY": P256.Signing.PrivateKey().pemRepresentation,
    ]
    let arguments = ["token", "--athlete", "7", "--role", "payments", "--ttl", "15m"]
    let signed = try await SettledProcess(arguments, environment, program: Self.program).finished()
    #expect(signed.exit == .code(0) && signed.output.split(separator: ".").count == 3, "\(signed.errors)")
    #expect(signed.errors.contains("signed a token for athlete:7 with role payments, valid for 900 s"))
    let nobody = try await SettledProcess(["token", "--ttl", "15m"], environment, program: Self.program).finished()
    #expect(
      nobody.exit == .code(64) && nobody.output.isEmpty && nobody.errors.contains("a token needs an identity or a role")
    )
    let keyless = environment.filter { $0.key != "SETTLED_GATEWAY_SIGNING_KEY" }
    let refused = try await SettledProcess(arguments, keyless, program: Self.program).finished()
    #expect(refused.exit == .code(78) && refused.errors.contains("neither the gateway-signing-key credential"))
  }

  @Test func `settled-gateway check tries the database, and reports a mismatch`() async throws {
    let database = try await SettledDatabase.simulated()
    func check(_ user: SettledDatabase.Role, _ more: [String: String] = [:]) async throws -> Finished {
      let values = [
        "SETTLED_GATEWAY_DATABASE_URL": database.url(user), "SETTLED_GATEWAY_PUBLIC_URL": "http://127.0.0.1:8080",
        "SETTLED_GATEWAY_SIGNING_KEY": Keys.ecPKCS8, "SETTLED_GATEWAY_HEALTH_SOCKET": "/tmp/health.sock",
      ]
      return try await SettledProcess(["check-config"], values.merging(more) { $1 }, program: Self.program).finished()
    }
    let good = try await check(.gateway)
    #expect(good.exit == .code(0) && !good.errors.contains("_url"), "\(good.errors)")
    let other = try await check(.gateway, ["SETTLED_GATEWAY_PUBLIC_URL": "https://settled.example"])
    #expect(other.exit == .code(0) && other.errors.contains("settlectl set accounts.public_url"), "\(other.errors)")
    let owner = try await check(.owner)
    #expect(
      owner.exit == .code(0) && owner.errors.contains("has more privileges than a gateway needs"), "\(owner.errors)")
    let daemon = try await check(.daemon)
    #expect(daemon.exit == .code(78) && daemon.errors.contains("log in as settled_gateway"), "\(daemon.errors)")
    let away = try await check(.gateway, ["SETTLED_GATEWAY_DATABASE_URL": "postgresql://127.0.0.1:1/a"])
    #expect(away.exit == .code(69) && away.errors.contains("database_url: "), "\(away.errors)")
    let more = try await check(
      .gateway,
      ["SETTLED_GATEWAY_SENDMAIL": "/etc/passwd", "SETTLED_GATEWAY_READ_DATABASE_URL": "postgresql://127.0.0.1:1/a"])
    #expect(more.exit == .code(0) && more.errors.contains("sendmail: /etc/passwd is not a program"), "\(more.errors)")
    #expect(more.errors.contains("read_database_url: "), "\(more.errors)")
    let place = try await check(.gateway, ["SETTLED_GATEWAY_HEALTH_SOCKET": "/nowhere/health.sock"])
    #expect(place.exit == .code(0) && place.errors.contains("health_socket: directory /nowhere does not exist"))
  }

  @Test func `settled-gateway sends ready, watchdog and stopping, and exits 0 on SIGTERM`() async throws {
    let (database, directory) = (try await TestCluster.shared.database(), try ScratchDirectory())
    let listener = NotifyListener()
    let environment = Self.environment(database, directory)
      .merging(["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "2000000"]) { $1 }
    let gateway = try SettledProcess(["run"], environment, program: Self.program)
    var told: [String] = []
    func hears(_ text: String) async throws {
      while !told.contains(text) {
        if let message = listener.next() { told += message } else { try await pauseBetweenLooks() }
      }
    }
    try await hears("READY=1")
    try await hears("WATCHDOG=1")
    #expect(try await Self.status("/health/live", directory.path + "/health.sock") == 200)
    try await untilTrue("ready") { try await Self.status("/health/ready", directory.path + "/health.sock") == 200 }
    #expect(try await Self.status("/nothing", directory.path + "/http.sock") == 404)
    gateway.terminate()
    try await hears("STOPPING=1")
    #expect(try await gateway.exit() == .code(0))
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/http.sock"))
  }

  @Test func `settled-gateway exits 75 where another process listens`() async throws {
    let (database, directory) = (try await TestCluster.shared.database(), try ScratchDirectory())
    let environment = Self.environment(database, directory)
    let gateway = try SettledProcess(["run"], environment, program: Self.program)
    try await gateway.log("ready")
    let second = try await SettledProcess(["run"], environment, program: Self.program).finished()
    #expect(second.exit == .code(75) && second.errors.contains("is already served by another process"))
    gateway.interrupt()
    #expect(try await gateway.exit() == .code(0))
  }

  @Test func `settled-gateway serves an internet socket that it inherits`() async throws {
    let (database, directory) = (try await TestCluster.shared.database(), try ScratchDirectory())
    var environment = Self.environment(database, directory)
    environment["SETTLED_GATEWAY_LISTEN"] = nil
    // The shell has no sockets; Python makes one, and becomes the gateway.
    let script = """
      import os, socket, sys
      one = socket.socket(); one.bind(("127.0.0.1", 0)); one.listen(16)
      print(one.getsockname()[1], flush=True)
      os.dup2(one.fileno(), 3); os.set_inheritable(3, True)
      os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="http")
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let python = try #require(
      ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").lazy
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) })
    let gateway = try SettledProcess(["-c", script, Self.program, "run"], environment, program: python)
    try await gateway.log("ready")
    let port = try #require(UInt16(gateway.output.text.prefix { $0 != "\n" }))
    let client = try HTTPClient(.address("127.0.0.1", port: port))
    await client.send("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(Reply(await client.rest())?.status == 404)
    gateway.terminate()
    #expect(try await gateway.exit() == .code(0))
  }
}
