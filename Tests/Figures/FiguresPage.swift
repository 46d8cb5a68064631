import Foundation

/// The page of all recorded figures, and its drawings.
package enum FiguresPage {
  package static let path = "Sources/Engine/Engine.docc/Figures.md"

  package static func recordPath(_ benchmark: Benchmark) -> String { "deploy/figures/\(benchmark.rawValue).json" }

  package static func plotPath(_ benchmark: Benchmark) -> String {
    "Sources/Engine/Engine.docc/\(plotName(benchmark))"
  }

  package static func plot(_ benchmark: Benchmark, _ record: FigureRecord) -> String {
    let title = plotTitle(benchmark, record)
    return record.growths.map { GrowthPlot(title: title, growths: $0).svg }
      ?? FigurePlot(title: title, figures: record.figures).svg
  }

  /// `records` has those that were recorded.
  package static func text(_ records: [Benchmark: FigureRecord]) -> String {
    let sections = Benchmark.allCases.compactMap { benchmark in
      records[benchmark].map { section(benchmark, $0) }
    }
    return """
      # Figures

      What the benchmarks of this release measured, and how.

      `deploy/bench NAME --record` reruns a benchmark and rewrites its section. `deploy/bench all --record` reruns all.
      All but growth-simulated-nodes start a private PostgreSQL and real programs. `fsync`, `synchronous_commit` and
      `full_page_writes` are on.
      The median must meet the target; otherwise the command exits with status 1.
      Each chart shows the range and the median of each figure relative to its target. It has at most
      \(FigurePlot.rowsMax) figures, those closest to their targets.
      The charts of growth show the medians at each size, with both axes logarithmic. The exponent is the slope of the
      line that fits them best. 1 is proportional growth, and 0 is none.

      \(sections.joined(separator: "\n"))
      """
  }

  private static func section(_ benchmark: Benchmark, _ record: FigureRecord) -> String {
    let missed = record.allFigures.filter { !$0.isMet }.count
    let verdict =
      switch missed {
      case 0: "All targets were met."
      case 1: "One target was missed."
      default: "\(missed) targets were missed."
      }
    let time = record.seconds.map { " It took \($0 < 120 ? "\($0) s" : "\(($0 + 30) / 60) minutes")." } ?? ""
    let rows = record.allFigures.map { figure in
      "| \(figure.name) | \(figure.least.shown) | \(figure.median.shown) | \(figure.greatest.shown) | "
        + "\(figure.target?.shown ?? "") | \(figure.unit) |"
    }
    return """
      ## \(benchmark.rawValue)

      \(benchmark.method)

      `\(record.command)` on \(record.day), on \(record.machine).\(time) \(verdict)

      ![\(plotTitle(benchmark, record))](\(plotName(benchmark)))

      | figure | least | median | greatest | target | unit |
      |---|---|---|---|---|---|
      \(rows.joined(separator: "\n"))

      """
  }

  private static func plotTitle(_ benchmark: Benchmark, _ record: FigureRecord) -> String {
    "\(benchmark.rawValue): \(record.growths == nil ? "medians relative to their targets" : "medians and fitted power laws")"
  }

  private static func plotName(_ benchmark: Benchmark) -> String { "figures-\(benchmark.rawValue).svg" }
}

extension Double {
  /// Three digits or more: `0.083`, `1.12`, `14.2`, `968`, `12,500`.
  var shown: String {
    let digits = abs(self) < 1 ? 3 : abs(self) < 10 ? 2 : abs(self) < 100 ? 1 : 0
    guard digits == 0, isFinite else { return String(format: "%.\(digits)f", self) }
    var text = String(format: "%.0f", self)
    var end = text.endIndex
    while text.distance(from: text.startIndex, to: end) > (self < 0 ? 4 : 3) {
      end = text.index(end, offsetBy: -3)
      text.insert(",", at: end)
    }
    return text
  }
}
