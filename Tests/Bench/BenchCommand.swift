import ArgumentParser
import Foundation

/// The figures that depend on speed, measured as `deploy/bench` says.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/bench", abstract: "Measure settled against its targets.")

  enum What: String, ExpressibleByArgument, CaseIterable {
    case settle, corrections, idle, ticks, nodes, schedules, flags, reset, points, tokens, reads, gateway, dashboard
  }

  @Argument(
    help: "What to measure: \(What.allCases.map(\.rawValue).joined(separator: ", ")).")
  var what: What
  @Option(help: "How often each figure is taken.") var repetitions = 5
  @Option(help: "Also write the figures to this file.") var json: String?
  @Option(
    help: "Seconds that idle, nodes and tokens measure (60), each load of gateway (5), and dashboard at rest (10).")
  var seconds: Int?
  @Option(help: "Only these shapes of settle, as in 1000x100.") var shape: [Shape] = Shape.all

  @Option(help: "How many profiles reset has in its zones.") var profiles = 1_000_000
  @Option(help: "How many connections tokens has that are not due.") var connections = 1_000_000

  func validate() throws {
    guard profiles >= 10_000 else { throw ValidationError("at least 10,000 profiles") }
    guard connections >= 1000 else { throw ValidationError("at least 1,000 connections") }
    guard repetitions >= 1, seconds ?? 1 >= 1 else { throw ValidationError("at least one repetition of one second") }
  }

  func run() async throws {
    let report =
      switch what {
      case .settle: try await SettleBench(shapes: shape, repetitions: repetitions).run()
      case .corrections: try await CorrectionsBench(repetitions: repetitions).run()
      case .ticks: try await TicksBench(repetitions: repetitions).run()
      case .nodes: try await NodesBench(seconds: seconds ?? 60, repetitions: repetitions).run()
      case .schedules: try await SchedulesBench(repetitions: repetitions).run()
      case .flags: try await FlagsBench(repetitions: repetitions).run()
      case .idle: try await IdleBench(seconds: seconds ?? 60, repetitions: repetitions).run()
      case .points: try await PointsBench(repetitions: repetitions).run()
      case .tokens:
        try await TokensBench(connections: connections, seconds: seconds ?? 60, repetitions: repetitions).run()
      case .reads: try await ReadsBench(repetitions: repetitions).run()
      case .dashboard: try await DashboardBench(seconds: seconds ?? 10, repetitions: repetitions).run()
      case .gateway: try await GatewayBench(repetitions: repetitions, seconds: seconds ?? 5).run()
      case .reset: try await ResetBench(profiles: profiles, repetitions: repetitions).run()
      }
    print(report.table)
    if let json { try report.json.write(toFile: json, atomically: true, encoding: .utf8) }
    if !report.isMet { throw ArgumentParser.ExitCode(1) }
  }
}
