import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show races filling, ending and being paid, on a private PostgreSQL with a simulated clock.")

  @Option(help: "Another seed gives other people and other results.")
  var seed: UInt64 = 34

  func run() async throws {}
}
