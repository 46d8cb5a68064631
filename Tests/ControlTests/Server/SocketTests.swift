import ControlServer
import HTTPServing
import Foundation
import Testing

@Suite("Sockets")
struct SocketTests {
  private func server(_ configuration: ControlServerConfiguration) -> ControlServer {
    ControlServer(configuration: configuration, runner: StubRunner(), health: StubHealth(), observe: { _ in })
  }

  @Test func `sockets have their modes and group under any umask, and are removed afterwards`() async throws {
    let left = try await Served.run { directory, _ async throws in
      #expect(modeAndGroup(directory.health)?.mode == 0o666)
      #expect(modeAndGroup(directory.control)?.mode == 0o660)
      if getuid() == 0 { #expect(modeAndGroup(directory.control)?.group == Served.readers) }
      #expect(directory.contents == ["control.sock", "control.sock.lock", "health.sock", "health.sock.lock"])
      return directory
    }
    #expect(left.contents == [])
  }

  @Test(arguments: [0, 1])
  func `sockets of a live server are refused to a second one, which touches neither`(which: Int) async throws {
    try await Served.run { directory, _ async throws in
      var configuration = Served.configuration(directory)
      // One is free, the other one in use.
      let free = directory.path + "/free.sock"
      if which == 0 { configuration.health = .path(free) } else { configuration.control = .path(free) }
      await #expect {
        try await Served.start(server(configuration))
      } throws: { error in
        (error as? ServingError)?.code == .inUse
          && "\(error)".contains(which == 0 ? "control.sock" : "health.sock")
      }
      #expect(!directory.contents.contains { $0.hasPrefix("free") })
      #expect(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))?.contains("200") == true)
      #expect(try await RawClient.exchange(directory.health, RawClient.get("/health/live"))?.contains("200") == true)
    }
  }

  @Test func `sockets of a live process that takes no lock are refused too`() async throws {
    let directory = try Directory()
    let descriptor = listenAt(directory.control)
    defer { close(descriptor) }
    await #expect(throws: ServingError(.inUse, "\(directory.control) is already served by another process")) {
      try await Served.start(server(Served.configuration(directory)))
    }
    #expect(directory.contents == ["control.sock"])
  }

  @Test func `sockets of a dead process are replaced`() async throws {
    let directory = try Directory()
    close(listenAt(directory.control))
    close(listenAt(directory.health))
    let server = server(Served.configuration(directory))
    let running = try await Served.start(server)
    #expect(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))?.contains("200") == true)
    server.stop()
    try await running.value
    #expect(directory.contents == [])
  }

  @Test func `a socket replaces no file, and its path has a maximum length`() async throws {
    let directory = try Directory()
    _ = FileManager.default.createFile(atPath: directory.control, contents: Data("precious".utf8))
    for path in [directory.control, directory.path + "/" + String(repeating: "x", count: 100)] {
      var configuration = Served.configuration(directory)
      configuration.control = .path(path)
      let error = await #expect(throws: ServingError.self) { try await Served.start(server(configuration)) }
      #expect(error?.code == .badPath)
    }
    #expect(FileManager.default.contents(atPath: directory.control) == Data("precious".utf8))
    #expect(directory.contents == ["control.sock"])
  }

  @Test func `sockets that replaced the server's own are left alone at its end`() async throws {
    let left = try await Served.run { directory, _ async throws in
      unlink(directory.control)
      close(listenAt(directory.control))
      return directory
    }
    #expect(left.contents == ["control.sock"])
  }

  @Test func `inherited sockets are served, keep their mode, and stay`() async throws {
    let directory = try Directory()
    var configuration = Served.configuration(directory)
    configuration.health = .descriptor(listenAt(directory.health))
    configuration.control = .descriptor(listenAt(directory.control))
    chmod(directory.control, 0o600)
    let server = server(configuration)
    let running = try await Served.start(server)
    #expect(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))?.contains("200") == true)
    #expect(try await RawClient.exchange(directory.health, RawClient.get("/metrics"))?.contains("settled_up 1") == true)
    #expect(modeAndGroup(directory.control)?.mode == 0o600)
    server.stop()
    try await running.value
    #expect(directory.contents == ["control.sock", "health.sock"])
  }

  @Test func `inherited sockets must listen, and be unix sockets`() async throws {
    let directory = try Directory()
    let file = open(directory.path, O_RDONLY)
    let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let idle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { for descriptor in [file, internet, idle] { close(descriptor) } }
    for descriptor in [file, internet, idle, 9999] {
      var configuration = Served.configuration(directory)
      configuration.control = .descriptor(descriptor)
      let error = await #expect(throws: ServingError.self) { try await Served.start(server(configuration)) }
      #expect(error?.code == .badDescriptor)
    }
  }

  @Test func `the health socket answers whether the daemon is ready or not`() async throws {
    for isReady in [true, false] {
      try await Served.run(health: StubHealth(isReady: isReady)) { directory, _ async throws in
        let ready = try await RawClient.exchange(directory.health, RawClient.get("/health/ready"))
        #expect(ready?.hasPrefix(isReady ? "HTTP/1.1 200" : "HTTP/1.1 503") == true)
        #expect(ready?.contains(#"{"ready":\#(isReady)}"#) == true)
        let live = try await RawClient.exchange(directory.health, RawClient.get("/health/live"))
        #expect(live?.hasPrefix("HTTP/1.1 200") == true)
        let control = try await RawClient.exchange(directory.health, RawClient.get("/v1/status"))
        #expect(control?.hasPrefix("HTTP/1.1 404") == true)
        let posted = try await RawClient.exchange(directory.health, RawClient.post("/metrics", "{}"))
        #expect(posted?.hasPrefix("HTTP/1.1 405") == true)
      }
    }
  }
}
