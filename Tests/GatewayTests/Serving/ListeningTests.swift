import Foundation
import Gateway
import HTTPServing
import Postgres
import TestSupport
import Testing

@Suite("The gateway's listening address") struct ListeningTests {
  @Test(arguments: [SocketSource.address("127.0.0.1", port: 0), .address("::1", port: 0)])
  func `the gateway listens on addresses of either kind`(source: SocketSource) async throws {
    try await GatewayWorld.run(listen: source) { world async throws in
      #expect(try await world.call("GET /echo/1").status == 200)
    }
  }

  @Test func `the gateway listens on a path or an inherited socket`() async throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/http.sock"
    try await GatewayWorld.run(listen: .path(path)) { world async throws in
      #expect(try await world.call("GET /echo/1").status == 200)
      // Its peers may say any address: they are members of its group.
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o660)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:8080", "[::1]:8080"), ("/run/x.sock", "/run/x.sock"),
    ("::1:8080", nil), ("[127.0.0.1]:8080", nil), ("localhost:8080", nil), ("127.0.0.1", nil), ("127.0.0.1:x", nil),
    ("127.0.0.1:65536", nil), (":8080", nil), ("", nil), ("0.0.0.0:80", "0.0.0.0:80"), ("[::]:80", "[::]:80"),
  ])
  func `the gateway's listening address is parsed from text`(text: String, name: String?) {
    #expect(SocketSource(text)?.name == name)
  }

  @Test func `the gateway does not listen where another process does`() async throws {
    try await GatewayWorld.run { world async throws in
      let (stop, _) = AsyncStream<String>.makeStream()
      var configuration = world.configuration(world.source)
      configuration.healthSocket += "2"
      await #expect {
        try await world.start(configuration, until: stop).value
      } throws: { error in
        (error as? ServingError)?.code == .inUse
      }
    }
  }

  @Test func `a stopping gateway answers requests under way, and then leaves its socket`() async throws {
    try await GatewayWorld.run { world async throws in
      let (signals, stop) = AsyncStream<String>.makeStream()
      let directory = try ScratchDirectory()
      var configuration = world.configuration(.path(directory.path + "/http.sock"))
      configuration.healthSocket += "2"
      let running = try await world.start(configuration, until: signals)
      let (busy, idle) = (try HTTPClient(configuration.listen), try HTTPClient(configuration.listen))
      await idle.send("GET /echo/1 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await idle.read(until: "prefix") != nil)
      await busy.send("GET /waits/1.5 HTTP/1.1\r\nHost: x\r\n\r\n")
      let owner = try await world.database.connect()
      try await untilTrue("the call runs") {
        try await owner.query(
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        ).one(Int64.self) == 1
      }
      await owner.close()
      stop.yield("SIGTERM")
      #expect(await idle.rest() == "")
      #expect(Reply(await busy.rest())?.status == 200)
      try await running.value
      #expect(throws: (any Error).self) { try HTTPClient(configuration.listen) }
    }
  }
}
