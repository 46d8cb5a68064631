/// `deploy/bench growth-races`: the settlement and the correction of one race, by its entries.
struct RaceGrowth {
  let scale: GrowthScale

  func run() async throws -> Report {
    try await scale.report(of: "entries", from: 100, through: 1_000_000, bytesPerRow: 12_000) {
      entries, cluster, report in
      let race = try await CorrectionsBench.write(entries, on: cluster)
      for _ in scale.repetitions(at: entries) {
        // The comparison of a million entries takes minutes.
        let isChecked = entries <= 100_000
        let (settled, corrected) = try await CorrectionsBench.correct(race, on: cluster, isChecked: isChecked)
        report.grow("settlement", "ms", settled, at: entries, "entries", target: GrowthScale.proportional)
        report.grow("correction", "ms", corrected, at: entries, "entries", target: GrowthScale.proportional)
      }
    }
  }
}
