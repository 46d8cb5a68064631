import ArgumentParser
import EmbeddedPostgres
import HostProcess

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show races filling, ending and being paid, on a private PostgreSQL with a simulated clock.",
    discussion: "Ends by itself, also on SIGTERM, and leaves nothing behind. PostgreSQL must be installed.")

  @Option(help: "Another seed gives other people and other results.")
  var seed: UInt64 = 34

  @Option(help: "Where the program fake-provider answers: athletes then have tokens, which are kept fresh.")
  var provider: String?

  func run() async throws {
    let stop = StopSignal.stream()
    let demo = Task {
      try await Demo(
        seed: seed, time: Host.timekeeper, provider: provider.map { DemoProvider(url: $0) }, show: show
      ).run()
    }
    let stopping = Task {
      for await _ in stop { demo.cancel() }
    }
    defer { stopping.cancel() }
    do {
      try await demo.value
    } catch let error as EmbeddedPostgresError {
      throw Exit(.unavailable, "\(error)")
    } catch  where demo.isCancelled {
      show("\nStopped on request; the private PostgreSQL is removed.")
    }
  }

  /// At once, also into a pipe: somebody watches.
  @Sendable private func show(_ line: String) {
    StandardError.write(line + "\n", to: 1)
  }
}
