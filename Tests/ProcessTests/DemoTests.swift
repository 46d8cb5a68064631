import Foundation
import TestSupport
import Testing

@Suite("The demo", .serialized) struct DemoTests {
  @Test("ends by itself with 0, with the payouts in pounds and balanced books, and the same again for the same seed")
  func twice() async throws {
    let first = try await SettledProcess.run(["demo", "--seed", "7"], within: .seconds(90))
    #expect(first.exit == .code(0), "\(first.errors)")
    #expect(first.errors.isEmpty)
    for text in [
      "The race calendar has made the 160 races", "34 entries", "89 entries", "145 entries", "42 entries", "£25.25",
      "£329.75", " 0 differences", "void",
      "Pacific/Auckland     03-28 3/0   03-29 2/1   03-30 1/1   03-31 0/1",
      "America/Los_Angeles  03-28 3/0   03-29 2/1   03-30 1/1\n",
    ] {
      #expect(first.output.contains(text), "\(text) is missing in \(first.output)")
    }
    let second = try await SettledProcess.run(["demo", "--seed", "7"], within: .seconds(90))
    #expect(second.output == first.output)
    let other = try await SettledProcess.run(["demo", "--seed", "8"], within: .seconds(90))
    #expect(other.exit == .code(0))
    #expect(other.output != first.output)
  }

  @Test("keeps everybody's tokens fresh where it is given a provider")
  func tokens() async throws {
    let provider = try await FakeProvider(clientSecret: "secret")
    let demo = try await SettledProcess.run(["demo", "--provider", provider.url], within: .seconds(90))
    #expect(demo.exit == .code(0), "\(demo.errors)")
    let ends = demo.output.matches(
      of: /: (\d+) connections have a token that lasts, 0 are lost\..*exchanged (\d+) codes/)
    #expect(ends.count == 4)
    for end in ends { #expect(end.1 == end.2) }
    let report = try await provider.report()
    #expect(report.parallel == 0 && report.refusedGrants == 0 && report.rotations == 4 * report.exchanges)
  }

  @Test(
    "SIGTERM at any moment ends it with 0, and leaves no process and no directory",
    arguments: ["Starting a private PostgreSQL", "The races fill", "Leaders:", "is settled", "The books"])
  func stopped(after line: String) async throws {
    let demo = try SettledProcess(["demo"])
    #expect(await demo.output.contains(line), "\(demo.errors.text)")
    let descendants = try ProcessTree.below(demo.pid)
    let directories = Set(descendants.compactMap { $0.commandLine.firstMatch(of: /\/tmp\/settled-pg\.\w+/)?.output })
    demo.terminate()
    #expect(try await demo.exit() == .code(0), "\(demo.errors.text)")
    #expect(demo.errors.text.isEmpty)
    for process in descendants where !process.commandLine.contains("settled-test") {
      #expect(!FileManager.default.fileExists(atPath: "/proc/\(process.pid)"), "\(process) is left")
    }
    for directory in directories {
      #expect(!FileManager.default.fileExists(atPath: String(directory)))
    }
    #expect(line.hasPrefix("Starting") || directories.count == 1)
  }
}
