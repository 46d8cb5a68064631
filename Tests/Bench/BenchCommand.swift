import ArgumentParser
import Figures
import Foundation

/// Measures figures that depend on speed, by the methods of `Benchmark`.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/bench", abstract: "Measure settled against its targets.")

  /// One benchmark, or all.
  struct Choice: ExpressibleByArgument {
    let benchmarks: [Benchmark]

    init?(argument: String) {
      switch (argument, Benchmark(rawValue: argument)) {
      case ("all", _): benchmarks = Benchmark.allCases
      case (_, let benchmark?): benchmarks = [benchmark]
      default: return nil
      }
    }
  }

  @Argument(
    help: "What to measure: all, \(Benchmark.allCases.map(\.rawValue).joined(separator: ", ")).")
  var what: Choice
  @Option(help: "How often each figure is taken.") var repetitions = 5
  @Option(help: "Also write the figures of one benchmark to this file.") var json: String?
  @Flag(help: "Also measure pgqueuer, procrastinate and awa beside settle, ticks and idle, and pg_cron beside ticks.")
  var peers = false
  @Flag(help: "Also write the figures to deploy/figures, and their page and drawings.") var record = false
  @Option(
    help:
      "Seconds that idle, nodes and tokens measure (60), each load of gateway (5) and of ledger (10), and dashboard at rest (10)."
  )
  var seconds: Int?
  @Option(help: "Only these shapes of settle, as in 1000x100.") var shape: [Shape] = Shape.all

  @Option(help: "How many profiles reset has in its zones.") var profiles = 1_000_000
  @Option(help: "How many connections tokens has that are not due.") var connections = 1_000_000

  func validate() throws {
    guard profiles >= 10_000 else { throw ValidationError("at least 10,000 profiles") }
    guard connections >= 1000 else { throw ValidationError("at least 1,000 connections") }
    guard repetitions >= 1, seconds ?? 1 >= 1 else { throw ValidationError("at least one repetition of one second") }
    guard !peers || !Set(what.benchmarks).isDisjoint(with: [.settle, .ticks, .idle]) else {
      throw ValidationError("only settle, ticks and idle have peers")
    }
    guard json == nil || what.benchmarks.count == 1 else {
      throw ValidationError("--json takes one benchmark; --record writes a file for each")
    }
  }

  func run() async throws {
    var failed: [Benchmark] = []
    for benchmark in what.benchmarks {
      if what.benchmarks.count > 1 { print("# \(benchmark.rawValue)") }
      do {
        if try await !run(benchmark) { failed.append(benchmark) }
      } catch {
        // Hours of figures are not lost by one failure.
        guard what.benchmarks.count > 1 else { throw error }
        note("\(benchmark.rawValue) failed: \(error)")
        failed.append(benchmark)
      }
    }
    guard failed.isEmpty else { throw ArgumentParser.ExitCode(1) }
  }

  /// Whether all targets are met.
  private func run(_ benchmark: Benchmark) async throws -> Bool {
    let report = try await measure(benchmark)
    print(report.table)
    let shapes = benchmark == .settle && shape.count < Shape.all.count ? shape.map { " --shape \($0)" }.joined() : ""
    let command = "deploy/bench \(benchmark.rawValue) --repetitions \(repetitions)\(shapes)\(peers ? " --peers" : "")"
    let record = try report.record(command: command)
    if let json { try record.json.write(toFile: json, atomically: true, encoding: .utf8) }
    if self.record { try FiguresPage.write(record, of: benchmark) }
    return report.isMet
  }

  private func measure(_ benchmark: Benchmark) async throws -> Report {
    switch benchmark {
    case .settle: try await SettleBench(shapes: shape, repetitions: repetitions, hasPeers: peers).run()
    case .corrections: try await CorrectionsBench(repetitions: repetitions).run()
    case .ticks: try await TicksBench(repetitions: repetitions, hasPeers: peers).run()
    case .nodes: try await NodesBench(seconds: seconds ?? 60, repetitions: repetitions).run()
    case .schedules: try await SchedulesBench(repetitions: repetitions).run()
    case .flags: try await FlagsBench(repetitions: repetitions).run()
    case .idle: try await IdleBench(seconds: seconds ?? 60, repetitions: repetitions, hasPeers: peers).run()
    case .ledger: try await LedgerBench(repetitions: repetitions, seconds: seconds ?? 10).run()
    case .points: try await PointsBench(repetitions: repetitions).run()
    case .tokens:
      try await TokensBench(connections: connections, seconds: seconds ?? 60, repetitions: repetitions).run()
    case .reads: try await ReadsBench(repetitions: repetitions).run()
    case .dashboard: try await DashboardBench(seconds: seconds ?? 10, repetitions: repetitions).run()
    case .gateway: try await GatewayBench(repetitions: repetitions, seconds: seconds ?? 5).run()
    case .reset: try await ResetBench(profiles: profiles, repetitions: repetitions).run()
    }
  }
}
