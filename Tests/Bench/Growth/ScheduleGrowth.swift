import Postgres
import TestSupport

/// `deploy/bench growth-schedules`: SQL schedules that tick at one instant, by their number.
struct ScheduleGrowth {
  let scale: GrowthScale

  func run() async throws -> Report {
    try await scale.report(of: "schedules", from: 100, through: 10_000, bytesPerRow: 1_000) { ticks, cluster, report in
      for repetition in scale.repetitions(at: ticks) {
        note("\(ticks): repetition \(repetition)")
        try await cluster.make("schedules")
        let owner = try await cluster.connect("schedules")
        try await SchedulesBench.prepare(
          SchedulesBench.Size(schedules: SchedulesBench.ticks, partitions: 0), owner)
        let daemon = try await cluster.daemon(on: "schedules", seenBy: owner)
        // A dozen sessions are open from here on.
        _ = try await SchedulesBench.herd(0, of: 12, owner)
        let lateness = try await SchedulesBench.herd(repetition, of: ticks, owner)
        try await daemon.end()
        await owner.close()
        report.grow(
          "last commit", "ms", lateness.max() ?? .nan, at: ticks, "schedules", target: GrowthScale.proportional)
      }
    }
  }
}
