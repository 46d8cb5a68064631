import ArgumentParser
import HostProcess

/// Becomes `settled-demo`, a program of the source tree that no package contains: it brings its own PostgreSQL.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show races filling, ending and being paid, on a private PostgreSQL with a simulated clock.",
    discussion: "Runs settled-demo, which deploy/quickstart builds in the source tree; no package contains it.")

  @Argument(parsing: .captureForPassthrough, help: "The arguments of settled-demo.")
  var arguments: [String] = []

  func run() throws {
    let program = Host.siblingProgram("settled-demo")
    Host.execute(program, arguments)
    throw Exit(
      .unavailable, "\(program) is missing: the demo is part of the source tree; run deploy/quickstart there")
  }
}
