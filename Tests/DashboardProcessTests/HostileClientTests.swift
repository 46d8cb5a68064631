import Foundation
import TestSupport
import Testing

@Suite("Clients that a dashboard cannot trust") struct HostileClientTests {
  @Test func `no head that is not one of the page gets more than a refusal, and the dashboard lives on`() async throws {
    let page = try await DashboardProcess("/nowhere", ["--changes"])
    var random = SeededGenerator()
    let pieces = [
      "GET", "POST", " ", "/", "/page/settings", "/events", "HTTP/1.1", "HTTP/9.9", "\r\n", "\n", "\r",
      "Host: 127.0.0.1",
      "Host: x", "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999999999999",
      "Transfer-Encoding: chunked", "0\r\n\r\n", "ffffffffffffffff\r\n", "Authorization: Bearer", ":", "\0", "é", "%",
      "?zone=%ff", "\t", "Connection: close", "Expect: 100-continue", "Upgrade: websocket",
      "X: " + String(repeating: "y", count: 90_000),
    ]
    for _ in 0..<150 {
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let answer = try await RawExchange.send(text + "\r\n\r\n", port: page.port, quietMilliseconds: 50)
      // Without the token only the shell is answered, which holds nothing.
      #expect(
        answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 505")
          || (answer.hasPrefix("HTTP/1.1 200") && answer.contains("<title>settled</title>"))
          || answer.hasPrefix("HTTP/1.1 100"), "\(random) \(text.debugDescription): \(answer.prefix(200))")
    }
    #expect(try await page.call("/").status == 200)
    #expect(page.process.isRunning)
  }

  @Test func `silent connections beyond the limit are closed, and end so that others are served`() async throws {
    let page = try await DashboardProcess("/nowhere")
    let silent = try (0..<64).map { _ in try RawExchange.connect(port: page.port) }
    defer { for descriptor in silent.dropFirst(8) { close(descriptor) } }
    try await untilTrue("a refused connection") { (try? await page.call("/")) == nil }
    for descriptor in silent.prefix(8) { close(descriptor) }
    try await untilTrue("an answer") { (try? await page.call("/"))?.status == 200 }
    // The rest is closed by the dashboard itself.
    try await untilTrue("the end of a silent connection", within: .seconds(40)) {
      var byte: UInt8 = 0
      return recv(silent[8], &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
  }

  @Test func `a head without an end is not held beyond its limit`() async throws {
    let page = try await DashboardProcess("/nowhere")
    let slow = try RawExchange.connect(port: page.port)
    defer { close(slow) }
    let line = Array("X-Long: \(String(repeating: "x", count: 1000))\r\n".utf8)
    let first = Array("GET / HTTP/1.1\r\n".utf8)
    #expect(send(slow, first, first.count, Int32(MSG_NOSIGNAL)) == first.count)
    // The dashboard closes, although the head is neither whole nor late.
    var sent = 0
    while sent < 400_000, send(slow, line, line.count, Int32(MSG_NOSIGNAL)) == line.count { sent += line.count }
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = recv(slow, &piece, piece.count, 0)
    #expect(count <= 0 || String(decoding: piece[..<count], as: UTF8.self).hasPrefix("HTTP/1.1 400"))
    #expect(try await page.call("/").status == 200)
  }

  @Test func `a reader that takes nothing is cut off, and takes no memory meanwhile`() async throws {
    let page = try await DashboardProcess("/nowhere")
    // Requests without end in one connection, none of whose answers is read.
    let slow = try RawExchange.connect(port: page.port)
    defer { close(slow) }
    let request = Array(page.request("GET", "/page.css", [("Connection", "keep-alive")]).utf8)
    var isStuck = false
    for _ in 0..<400_000 where !isStuck {
      isStuck = send(slow, request, request.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0
    }
    #expect(isStuck)
    #expect(try await page.call("/").status == 200)
    #expect(try residentKilobytes(page.process.pid) < 200_000)
    try await untilTrue("the end of the slow reader", within: .seconds(60)) {
      send(slow, request, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 && errno != EAGAIN
    }
  }

  private func residentKilobytes(_ process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return Int(status.firstMatch(of: /VmRSS:\s+(\d+) kB/)?.1 ?? "") ?? .max
  }
}
