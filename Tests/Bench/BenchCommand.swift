import ArgumentParser
import Figures
import Foundation

/// Measures figures that depend on speed, by the methods of `Benchmark`.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/bench", abstract: "Measure settled against its targets.")

  /// One benchmark, those of growth, or all.
  struct Choice: ExpressibleByArgument {
    let benchmarks: [Benchmark]

    init?(argument: String) {
      switch (argument, Benchmark(rawValue: argument)) {
      case ("all", _): benchmarks = Benchmark.allCases
      case ("growth", _): benchmarks = Benchmark.allCases.filter(\.isOfGrowth)
      case (_, let benchmark?): benchmarks = [benchmark]
      default: return nil
      }
    }
  }

  @Argument(
    help: "What to measure: all, growth, \(Benchmark.allCases.map(\.rawValue).joined(separator: ", ")).")
  var what: Choice
  @Option(
    help: "How often each figure is taken (5; with --quick, 1); growth at most three times, and once above 100,000.")
  var repetitions: Int?
  @Option(help: "Also write the figures of one benchmark to this file.") var json: String?
  @Flag(help: "Also measure pgqueuer, procrastinate and awa beside settle, ticks and idle, and pg_cron beside ticks.")
  var peers = false
  @Flag(help: "Also write the figures to deploy/figures, and their page and drawings.") var record = false
  @Option(
    help:
      "Seconds that idle, nodes and tokens measure (60), growth-nodes (20), each load of gateway and growth-reads (5) and of ledger (10), and dashboard at rest (10)."
  )
  var seconds: Int?
  @Option(help: "Only these shapes of settle, as in 1000x100 (all three; with --quick, 1000x100).")
  var shape: [Shape] = []

  @Option(help: "How many profiles reset has in its zones (1,000,000; with --quick, 50,000).") var profiles: Int?
  @Option(help: "How many connections tokens has that are not due (1,000,000; with --quick, 10,000).")
  var connections: Int?
  @Option(help: "The largest size that growth measures (10,000,000; with --quick, 10,000).") var largest: Int?
  @Flag(help: "Measure all in about twenty minutes: once, for shorter times, and at smaller sizes.") var quick = false

  private static let withPeers: Set<Benchmark> = [.settle, .ticks, .idle]
  private static let withSeconds: Set<Benchmark> = [
    .idle, .nodes, .tokens, .gateway, .ledger, .dashboard, .growthNodes, .growthReads,
  ]

  func validate() throws {
    guard profiles ?? 10_000 >= 10_000 else { throw ValidationError("--profiles: at least 10,000") }
    guard connections ?? 1000 >= 1000 else { throw ValidationError("--connections: at least 1,000") }
    guard largest ?? 1 >= 1 else { throw ValidationError("--largest: at least 1") }
    guard repetitions ?? 1 >= 1 else { throw ValidationError("--repetitions: at least 1") }
    guard seconds ?? 1 >= 1 else { throw ValidationError("--seconds: at least 1") }
    guard !peers || !Set(what.benchmarks).isDisjoint(with: Self.withPeers) else {
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
    let began = ContinuousClock.now
    let report = try await measure(benchmark)
    let seconds = Int(began.duration(to: .now).components.seconds)
    print(report.table)
    note("\(benchmark.rawValue) took \(seconds) s")
    let command = "deploy/bench \(benchmark.rawValue)" + options(of: benchmark)
    let record = try report.record(command: command, seconds: seconds)
    if let json { try record.json.write(toFile: json, atomically: true, encoding: .utf8) }
    if self.record { try FiguresPage.write(record, of: benchmark) }
    return report.isMet
  }

  /// The options that repeat a run.
  private func options(of benchmark: Benchmark) -> String {
    var text = benchmark == .growthSimulatedNodes ? "" : " --repetitions \(times)"
    if quick { text += " --quick" }
    if benchmark == .settle { text += shape.map { " --shape \($0)" }.joined() }
    if peers, Self.withPeers.contains(benchmark) { text += " --peers" }
    let numbers = [
      ("seconds", seconds, Self.withSeconds.contains(benchmark)), ("profiles", profiles, benchmark == .reset),
      ("connections", connections, benchmark == .tokens),
      ("largest", largest, benchmark.isOfGrowth && benchmark != .growthSimulatedNodes),
    ]
    for case (let name, let number?, true) in numbers { text += " --\(name) \(number)" }
    return text
  }

  private var times: Int { repetitions ?? (quick ? 1 : 5) }

  /// The time that a benchmark measures for.
  private func seconds(_ whole: Int, quick short: Int) -> Int { seconds ?? (quick ? short : whole) }

  private func measure(_ benchmark: Benchmark) async throws -> Report {
    let shapes = !shape.isEmpty ? shape : quick ? [.main] : Shape.all
    let scale = GrowthScale(repetitions: times, largest: largest ?? (quick ? 10_000 : 10_000_000))
    return switch benchmark {
    case .settle: try await SettleBench(shapes: shapes, repetitions: times, hasPeers: peers).run()
    case .corrections: try await CorrectionsBench(repetitions: times, largest: quick ? 10_000 : 100_000).run()
    case .ticks: try await TicksBench(repetitions: times, hasPeers: peers, instants: quick ? 100 : 500).run()
    case .nodes: try await NodesBench(seconds: seconds(60, quick: 10), repetitions: times).run()
    case .schedules: try await SchedulesBench(repetitions: times).run()
    case .flags: try await FlagsBench(repetitions: times, activities: quick ? 2000 : 10_000).run()
    case .idle: try await IdleBench(seconds: seconds(60, quick: 20), repetitions: times, hasPeers: peers).run()
    case .ledger: try await LedgerBench(repetitions: times, seconds: seconds(10, quick: 3)).run()
    case .points: try await PointsBench(repetitions: times).run()
    case .tokens:
      try await TokensBench(
        connections: connections ?? (quick ? 10_000 : 1_000_000), seconds: seconds(60, quick: 10), repetitions: times
      ).run()
    case .reads: try await ReadsBench(repetitions: times).run()
    case .dashboard: try await DashboardBench(seconds: seconds(10, quick: 5), repetitions: times).run()
    case .gateway: try await GatewayBench(repetitions: times, seconds: seconds(5, quick: 2)).run()
    case .reset: try await ResetBench(profiles: profiles ?? (quick ? 50_000 : 1_000_000), repetitions: times).run()
    case .growthRaces: try await RaceGrowth(scale: scale).run()
    case .growthDue: try await DueGrowth(scale: scale).run()
    case .growthSchedules: try await ScheduleGrowth(scale: scale).run()
    case .growthNodes: try await NodeGrowth(scale: scale, seconds: seconds(20, quick: 10)).run()
    case .growthAchievements: try await AchievementGrowth(scale: scale).run()
    case .growthEvents: try await EventGrowth(scale: scale).run()
    case .growthAudit: try await AuditGrowth(scale: scale).run()
    case .growthReads: try await ReadGrowth(scale: scale, seconds: seconds(5, quick: 2)).run()
    case .growthSimulatedNodes: try SimulatedNodeGrowth(largest: quick ? 16 : 64).run()
    }
  }
}
