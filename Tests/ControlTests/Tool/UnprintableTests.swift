import Operations
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Text that could steer a terminal")
struct UnprintableTests {
  private static let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{200f}\u{2066}\u{2028}c\u{85}\u{e0001}d"

  private func tool(_ arguments: String..., failure: String) async throws -> Ended {
    let runner = StubRunner([
      "failures": { _ in failure }, "status": { _ in throw CommandError(.bug, rule: "a", failure) },
    ])
    return try await Served.run(runner) { directory, _ async throws in
      try await run([settlectl] + arguments + ["--socket", directory.control])
    }
  }

  private func steers(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      scalar != "\n"
        && [.control, .format, .lineSeparator, .paragraphSeparator].contains(
          scalar.properties.generalCategory)
    }
  }

  @Test func `control characters are escaped in JSON, and removed from tables and standard error`()
    async throws
  {
    let raw = Self.hostile.replacing("\u{1b}", with: #"\u001b"#)
    let failure = """
      [{"id":3,"job":"\(raw)","key":"17","attempts":5,"lastAt":null,"nextAttemptAt":"\(raw)","quarantined":false,\
      "error":"\(raw)"}]
      """
    let json = try await tool("failures", "--json", failure: failure)
    #expect(!steers(json.output))
    let objects = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(objects?.first?["job"] as? String == Self.hostile)
    let table = try await tool("failures", failure: failure)
    #expect(table.code == 0 && !steers(table.output) && table.output.contains("[2J 31m b"))
    let error = try await tool("status", failure: Self.hostile)
    #expect(error.code == 70 && !steers(error.errors))
    #expect(error.errors.split(separator: "\n").count == 1)
    let problem = try await tool("status", "--json", failure: Self.hostile)
    #expect(problem.code == 70 && !steers(problem.output))
  }

  @Test func `output keeps no escape sequence except settlectl's own colours`() {
    let style = Style(isColoured: true)
    #expect(Printable.lines(style("a", .red) + "\nb") == style("a", .red) + "\nb")
    #expect(Printable.lines("\u{1b}[2Ja\u{1b}]0;x\u{7}\r\n\u{9b}1m") == " [2Ja ]0;x  \n 1m")
  }
}
