import Engine
import Figures
import HostClock
import HostProcess
import TestSupport

/// `deploy/bench dashboard`: the size and the time of each screen at size, and what the relay adds to the socket.
struct DashboardBench {
  let seconds: Int
  let repetitions: Int

  private static let pairs = 200

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    note("dashboard: 10,000 entries, 2,000 reviews and 100,000 occurrences are written")
    let world = try await DashboardWorld(cluster)
    let shell = try await world.page.call("/").body
    let names = shell.matches(of: /<a href="\/([a-z-]+)" data-key="g/).map { String($0.1) }
    guard names.count > 10 else { throw BenchError("the shell names \(names.count) screens") }
    let things = [
      ("a race of 10,000", "races?id=\(world.race)"), ("a review", "reviews?id=\(world.activity)"),
      ("a schedule of 100,000", "schedules?id=busy"),
    ]
    for repetition in 1...repetitions {
      note("dashboard: repetition \(repetition) of \(repetitions)")
      for (name, target) in names.map({ ($0, $0) }) + things { try await screen(name, target, world, into: &report) }
      try await paint(names + things.map(\.1), world, into: &report)
      try await relay(world, into: &report)
      try await rest(world, into: &report)
    }
    try await world.end()
    return report
  }

  /// From the request to the last byte, with no answer of the daemon kept from before.
  private func screen(_ name: String, _ target: String, _ world: DashboardWorld, into report: inout Report) async throws
  {
    try await Host.timekeeper.sleep(.milliseconds(1_100))
    let started = ContinuousClock.now
    let answer = try await world.page.call("/page/\(target)")
    let elapsed = started.duration(to: .now) / .milliseconds(1)
    guard answer.status == 200, !answer.body.contains("class=\"absent\"") else {
      throw BenchError("\(target): \(answer.status) \(answer.body.prefix(300))")
    }
    report.add("\(name): to the last byte", "ms", elapsed, target: 1_000)
    report.add("\(name): size", "kB", Double(answer.body.utf8.count) / 1_000, target: 100)
  }

  /// In Debian's Chromium, from the start of the navigation.
  private func paint(_ targets: [String], _ world: DashboardWorld, into report: inout Report) async throws {
    let paths = targets.map { "/" + $0.replacing("?id=", with: "/") }
    let painted = try await Oracle.run("dashboard_paint.py", [world.page.address] + paths)
    let rows = painted.split(separator: "\n").map { $0.split(separator: " ") }
    guard rows.count == paths.count else { throw BenchError("Chromium: \(painted)") }
    var paints: [Double] = []
    for row in rows {
      let times = row.dropFirst().compactMap { Double($0) }
      guard times.count == 3 else { throw BenchError("Chromium: \(painted)") }
      paints.append(times[0])
      report.add("\(row[0]): first paint", "ms", times[0])
      report.add("\(row[0]): first part", "ms", times[1])
      report.add("\(row[0]): last part", "ms", times[2], target: 1_000)
    }
    // All screens paint the same page frame first, so single ones differ by chance.
    report.add("first paint, median of all screens", "ms", paints.sorted().at(0.5), target: 80)
  }

  /// The same read of the socket and as a part, in turn, each for another uid, so that none is kept.
  private func relay(_ world: DashboardWorld, into report: inout Report) async throws {
    let socket = LoopbackClient(socket: world.daemon.controlSocket)
    var (bare, relayed): ([Double], [Double]) = ([], [])
    for uid in 1...Self.pairs {
      let started = ContinuousClock.now
      let answer = try await socket.call("/v1/audit/log?uid=\(uid)&limit=100")
      let middle = ContinuousClock.now
      let part = try await world.page.call("/part/audit/log?uid=\(uid)")
      guard answer.status == 200, part.status == 200 else { throw BenchError("\(answer.status), \(part.status)") }
      bare.append(started.duration(to: middle) / .milliseconds(1))
      relayed.append(middle.duration(to: .now) / .milliseconds(1))
    }
    let (low, high) = (bare.sorted(), relayed.sorted())
    report.add("a read of the socket: p50", "ms", low.at(0.5))
    report.add("the same as a part: p50", "ms", high.at(0.5))
    report.add("a part beside the socket: p50", "ratio", high.at(0.5) / low.at(0.5))
    report.add("a part beside the socket: p99 more", "ms", high.at(0.99) - low.at(0.99), target: 2)
  }

  /// A tab that is hidden: its stream is open, and it asks for nothing.
  private func rest(_ world: DashboardWorld, into report: inout Report) async throws {
    let stream = Task { [page = world.page] in try await page.call("/events") }
    let before = try ProcessUsage(pid: world.page.process.pid)
    try await Host.timekeeper.sleep(.seconds(seconds))
    let after = try ProcessUsage(pid: world.page.process.pid)
    stream.cancel()
    _ = try? await stream.value
    report.add("at rest: processor", "%", 100 * (after.processor - before.processor) / Double(seconds), target: 0.1)
    report.add("resident", "MB", after.residentMegabytes, target: 30)
  }
}
