import ArgumentParser
import HostClock
import EmbeddedPostgres
import FoundationEssentials
import HostProcess
import StopSignals

struct SettledDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settled-demo",
    abstract: "Show races filling, ending and paying out on a private PostgreSQL server with a simulated clock.",
    discussion: """
      The demo ends after its story, or on SIGTERM, and leaves nothing behind. PostgreSQL must be installed.

      With --serve, it runs until Ctrl-C or SIGTERM. The clock keeps running, and the gateway and the operators' \
      dashboard serve this machine only. The demo prints people with their passwords and tokens, example commands for \
      curl and settlectl, and the dashboard's address.
      """)

  @Option(help: "The seed; another one produces other people and results.")
  var seed: UInt64 = 34

  @Option(help: "The URL of the program fake-provider; athletes then have tokens, which are refreshed.")
  var provider: String?

  @Flag(help: "Keep everything running after the story, with the gateway and the dashboard on 127.0.0.1.")
  var serve = false

  @Option(help: "With --serve, the gateway's port (default: \(DemoServing.portDefault)).")
  var port: UInt16?

  @Option(help: "With --serve, the path of settled-gateway (default: the one next to this program).")
  var gateway: String?

  mutating func validate() throws {
    guard serve || (port == nil && gateway == nil) else {
      throw ValidationError("--port and --gateway require --serve")
    }
    guard port != 0 else { throw ValidationError("--port must be 1 to 65535") }
  }

  func run() async throws {
    let serving = serve ? try serving() : nil
    let stop = StopSignal.stream()
    let demo = Task {
      try await Demo(
        seed: seed, time: Host.timekeeper, provider: provider.map { DemoProvider(url: $0) }, serving: serving,
        show: show
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
    } catch let error as Exit {
      throw error
    } catch  where demo.isCancelled {
      show("\nStopped on request; the private PostgreSQL is removed.")
    } catch {
      throw Exit(.tryLater, "the demo cannot continue: \(error); try again when this machine is less busy")
    }
  }

  private func serving() throws -> DemoServing {
    let program = gateway ?? Host.siblingProgram("settled-gateway")
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Exit(.unavailable, "there is no program \(program): build settled-gateway, or name it with --gateway")
    }
    let settlectl = Host.siblingProgram("settlectl")
    guard FileManager.default.isExecutableFile(atPath: settlectl) else {
      throw Exit(.unavailable, "there is no program \(settlectl): build settlectl")
    }
    return DemoServing(
      gateway: program, settlectl: settlectl, port: port ?? DemoServing.portDefault, time: Host.timekeeper)
  }

  /// At once, also into a pipe: somebody watches.
  @Sendable private func show(_ line: String) {
    StandardError.write(line + "\n", to: 1)
  }
}
