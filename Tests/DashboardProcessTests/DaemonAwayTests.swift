import Foundation
import TestSupport
import Testing

@Suite("A dashboard and the life of its daemon") struct DaemonAwayTests {
  @Test func `a dashboard outlives its daemon, shows that it is away, and shows the next one`() async throws {
    let database = try await SettledDatabase.real()
    let own = try ScratchDirectory()
    let places = [
      "SETTLED_CONTROL_SOCKET": own.path + "/control.sock", "SETTLED_HEALTH_SOCKET": own.path + "/health.sock",
    ].merging(SettledProcess.adminsAreOurs) { $1 }
    let first = try SettledProcess.daemon(database, node: "first", places)
    try await first.log("ready")
    let page = try await DashboardProcess(first.controlSocket)
    #expect(try await page.call("/page/header").body.contains("<bdi>first</bdi>"))
    let stream = try SettledProcess(
      ["-sN", "-H", "Authorization: Bearer \(page.token)", "http://127.0.0.1:\(page.port)/events"],
      program: "/usr/bin/curl")
    try await within(.seconds(30), "a line") { _ = await stream.output.contains("\"lost\": null}\n") }
    first.killHard()
    _ = try await first.exit()
    try await untilTrue("the page without a daemon") {
      try await page.call("/page/header").body.contains("no response")
    }
    #expect(try await page.call("/page/settings").body.contains("settings failed"))
    try await within(.seconds(60), "a line of the loss: \(stream.output.text)") {
      while stream.output.text.firstMatch(of: /"lost": \d/) == nil { try await pauseBetweenLooks() }
    }
    let second = try SettledProcess.daemon(database, node: "second", places)
    try await second.log("ready")
    try await untilTrue("the page of the second daemon") {
      try await page.call("/page/header").body.contains("<bdi>second</bdi>")
    }
    // Whoever looks reads everything again, because happenings may be lost.
    try await within(.seconds(60), "a line to read everything: \(stream.output.text)") {
      let found = /"lost": \d[^$]*"all": true, "refused": null, "lost": null/
      while stream.output.text.firstMatch(of: found) == nil { try await pauseBetweenLooks() }
    }
    second.terminate()
    #expect(try await second.exit() == .code(0))
  }

  @Test func `a daemon that hangs keeps no stream from beginning, and its loss is shown after 20 s`() async throws {
    let daemon = try await StandInDaemon { _ in nil }
    let page = try await DashboardProcess(daemon.path)
    let stream = try SettledProcess(
      ["-siN", "-H", "Authorization: Bearer \(page.token)", "http://127.0.0.1:\(page.port)/events"],
      program: "/usr/bin/curl")
    try await within(.seconds(10), "the head of the stream") { _ = await stream.output.contains("200 OK") }
    try await within(.seconds(40), "a line of the loss: \(stream.output.text)") {
      while stream.output.text.firstMatch(of: /"lost": 2\d/) == nil { try await pauseBetweenLooks() }
    }
    stream.terminate()
  }

  /// A dashboard that serves a socket of its own, without a daemon.
  private static func listening(at path: String) async throws -> SettledProcess {
    let process = try SettledProcess(
      ["dashboard", "--socket", "/nowhere", "--listen", path], program: SettledProcess.tool)
    try await within(.seconds(60), "its address (\(process.errors.text))") {
      _ = await process.output.contains("http+unix:\(path) ")
    }
    return process
  }

  @Test func `the end of a dashboard leaves the file of another socket at its path`() async throws {
    let own = try ScratchDirectory()
    let path = own.path + "/page.sock"
    let process = try await Self.listening(at: path)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    try "another".write(toFile: path, atomically: true, encoding: .utf8)
    process.terminate()
    #expect(try await process.exit() == .code(0))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "another")
  }

  @Test func `the stream names the parts that a happening changes, for forty readers by one watch`() async throws {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "streamed", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket)
    let streams = try (0..<40).map { _ in
      try SettledProcess(
        ["-sN", "-H", "Authorization: Bearer \(page.token)", "http://127.0.0.1:\(page.port)/events"],
        program: "/usr/bin/curl")
    }
    for stream in streams {
      try await within(.seconds(60), "a line") { _ = await stream.output.contains("\n") }
    }
    #expect(try await daemon.settlectl("set", "racing.flag_threshold", "7", "--reason", "a test").exit == .code(0))
    for stream in streams {
      try await within(.seconds(60), "the part of the settings: \(stream.output.text)") {
        _ = await stream.output.contains("\"settings/settings\"")
      }
    }
    #expect(try await page.call("/page/settings").body.contains("<bdi>7</bdi>"))
    for stream in streams { stream.terminate() }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a dashboard ends at a signal, and its socket's file with it`(_ signal: Int32) async throws {
    let own = try ScratchDirectory()
    let path = own.path + "/page.sock"
    let process = try await Self.listening(at: path)
    var file = stat()
    #expect(lstat(path, &file) == 0 && file.st_mode == S_IFSOCK | 0o600)
    #expect(try await LoopbackClient(socket: path).call("/").status == 200)
    let again = try await SettledProcess(
      ["dashboard", "--socket", "/nowhere", "--listen", path], program: SettledProcess.tool
    ).finished()
    #expect(again.exit == .code(75) && again.errors.contains("served by another process"), "\(again.errors)")
    kill(process.pid, signal)
    #expect(try await process.exit() == .code(0))
    #expect(lstat(path, &file) != 0)
  }
}
