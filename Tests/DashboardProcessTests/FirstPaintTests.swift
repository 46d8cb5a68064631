import Foundation
import TestSupport
import Testing

@Suite("What a screen waits for") struct FirstPaintTests {
  @Test func `style and script may be kept under the address that the shell names, and under no other`() async throws {
    let page = try await DashboardProcess("/nowhere")
    let shell = try await page.call("/").body
    let names = shell.matches(of: /"(\/page\.(?:css|js)\?v=[0-9a-z]+)"/).map { String($0.1) }
    #expect(names.count == 2, "\(shell.prefix(600))")
    for name in names {
      #expect(try await page.call(name).header("Cache-Control") == "private, max-age=86400, immutable")
      #expect(try await page.call(name + "0").header("Cache-Control") == "no-store")
    }
    // Another process has other files, perhaps.
    let other = try await DashboardProcess("/nowhere")
    #expect(try await other.call(names[0]).header("Cache-Control") == "no-store")
    #expect(try await page.call("/?v=\(names[0].suffix(8))").header("Cache-Control") == "no-store")
  }

  /// A screen and the stream are asked for at once: the page compares the numbers of both.
  @Test
  func `a screen has the number of the last beat before it, and the first line of a stream the same or a later one`()
    async throws
  {
    let daemon = try await StandInDaemon { target in
      guard target.hasPrefix("/v1/watch") else { return .json("[]") }
      return target.contains("after=") ? nil : .json(#"{"cursor": "1", "missed": false, "happenings": []}"#)
    }
    let page = try await DashboardProcess(daemon.path)
    // Nobody watches yet: the first line comes later, and the page reads everything again.
    #expect(try await page.call("/page/settings").header("Beat") == "0")
    let first = try await firstLine(page)
    #expect(first.all && first.beat > 0)
    let known = try #require(try await page.call("/page/settings").header("Beat").flatMap { Int($0) })
    #expect(known >= first.beat)
    // A later stream begins with a line that a screen which was read after it need not heed.
    let second = try await firstLine(page)
    let later = try #require(try await page.call("/page/settings").header("Beat").flatMap { Int($0) })
    #expect(second.all && second.beat >= known && later >= second.beat)
  }

  private func firstLine(_ page: DashboardProcess) async throws -> (beat: Int, all: Bool) {
    let stream = try SettledProcess(
      ["-sN", "-H", "Authorization: Bearer \(page.token)", "http://127.0.0.1:\(page.port)/events"],
      program: "/usr/bin/curl")
    try await within(.seconds(30), "a line") { _ = await stream.output.contains("}\n") }
    stream.terminate()
    let line = try #require(stream.output.text.firstMatch(of: /"beat": (\d+), .*"all": (true|false)/))
    return (try #require(Int(line.1)), line.2 == "true")
  }
}
