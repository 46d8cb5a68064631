import Foundation
import TestSupport
import Testing

@Suite("The command line") struct CommandLineTests {
  @Test func `version prints the program's and the schema's version`() async throws {
    for word in ["version", "--version"] {
      let finished = try await SettledProcess.run([word])
      #expect(finished.exit == .code(0))
      #expect(finished.output.wholeMatch(of: /settled \d+\.\d+\.\d+, schema \d+\n/) != nil, "\(finished.output)")
    }
    let tool = try await SettledProcess(["--version"], program: SettledProcess.tool).finished()
    #expect(tool.exit == .code(0))
    #expect(tool.output.wholeMatch(of: /settlectl \d+\.\d+\.\d+\n/) != nil, "\(tool.output)")
  }

  @Test(arguments: [
    ["walk"], ["run", "--fast"], ["migrate", "now"], ["demo", "--seed", "x"], ["check-config", "--config"],
  ])
  func `a usage error exits 64 and lists the known commands`(arguments: [String]) async throws {
    let finished = try await SettledProcess.run(arguments)
    #expect(finished.exit == .code(64))
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains("Usage: settled"))
  }

  @Test func `the demo of a package names the sources and ends with 69`() async throws {
    let scratch = try ScratchDirectory()
    let copy = "\(scratch.path)/settled"
    try FileManager.default.copyItem(atPath: SettledProcess.program, toPath: copy)
    let finished = try await SettledProcess(["demo", "--seed", "7"], program: copy).finished()
    #expect(finished.exit == .code(69) && finished.output.isEmpty)
    #expect(finished.errors.contains("run deploy/quickstart there"), "\(finished.errors)")
  }

  @Test(arguments: [["--help"], ["run", "--help"], ["help", "migrate"], []])
  func `help is not an error`(arguments: [String]) async throws {
    let finished = try await SettledProcess.run(arguments)
    #expect(finished.exit == .code(0))
    #expect(finished.output.contains("USAGE: settled"))
  }

  @Test func `migrate prints its steps, and reports nothing to do the second time`() async throws {
    let database = try await TestCluster.shared.database()
    let variables = ["SETTLED_DATABASE_URL": database.url()]
    let first = try await SettledProcess.run(["migrate"], variables)
    #expect(first.exit == .code(0), "\(first.errors)")
    #expect(first.output.contains("applied 0001-settled.sql\n") && first.output.hasSuffix("applied the functions\n"))
    let second = try await SettledProcess.run(["migrate", "--database-url", database.url()])
    #expect(second.exit == .code(0))
    #expect(second.output == "nothing to do\n")
    let third = try await SettledProcess.run(["migrate", "--simulated-clock"], variables)
    #expect(third.exit == .code(1))
    #expect(third.errors.contains("uses the real clock"))
  }

  @Test func `a person who sees both streams of migrate sees each step once`() async throws {
    let database = try await TestCluster.shared.database()
    let line = "\(SettledProcess.built("settled")) migrate --database-url '\(database.url())' 2>&1"
    let done = try await SettledProcess(["-c", line], program: "/bin/sh").finished()
    #expect(done.exit == .code(0), "\(done.output)")
    #expect(done.output.matches(of: /0001-settled/).count == 1, "\(done.output)")
    #expect(done.output.matches(of: /functions/).count == 1)
    #expect(done.output.hasSuffix("\ndone\n"))
  }

  @Test func `migrate reports a simulated clock, also later`() async throws {
    let database = try await TestCluster.shared.database()
    let first = try await SettledProcess.run(["migrate", "--simulated-clock", "--database-url", database.url()])
    #expect(first.exit == .code(0))
    let second = try await SettledProcess.run(["migrate", "--database-url", database.url()])
    #expect(second.output == "nothing to do\nthis database uses a simulated clock\n")
  }

  @Test func `migrate without a database exits 75 with one line`() async throws {
    let away = try await SettledProcess.run(["migrate", "--database-url", "postgresql:///x?host=/nonexistent"])
    #expect(away.exit == .code(75))
    #expect(away.errors.hasPrefix("settled: ") && away.errors.split(separator: "\n").count == 1, "\(away.errors)")
  }
}
