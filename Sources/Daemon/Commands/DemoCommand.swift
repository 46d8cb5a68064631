import ArgumentParser
import HostProcess

/// Becomes `settled-demo`, a program of the source tree that no package contains: it brings its own PostgreSQL.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show races filling, ending and paying out on a private PostgreSQL server with a simulated clock.",
    discussion: """
      Runs settled-demo. No package contains this program: build it from the source tree with deploy/quickstart.
      """)

  @Argument(parsing: .captureForPassthrough, help: "Arguments for settled-demo.")
  var arguments: [String] = []

  func run() throws {
    let program = Host.siblingProgram("settled-demo")
    Host.execute(program, arguments)
    throw Exit(
      .unavailable, "\(program) is missing: the demo is part of the source tree; run deploy/quickstart there")
  }
}
