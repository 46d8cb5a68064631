import Foundation

/// The files of `deploy/monitoring`, and promtool, which reads them as Prometheus does.
package enum Monitoring {
  package static let directory = Checkout.root.appending(path: "deploy/monitoring").path()

  /// The metrics that alerts and dashboard ask for: those with this prefix, without the endings of a histogram's series.
  package static func names(prefix: String) throws -> Set<String> {
    let texts = try ["settled.rules.yml", "settled.dashboard.json"].map {
      try Checkout.text("deploy/monitoring/\($0)")
    }
    let expressions = texts.flatMap { $0.split(separator: "\n") }.filter { !$0.contains("alert:") }
    return Set(
      expressions.flatMap { $0.matches(of: /\b(?:settled|process)_[a-z_]+/) }.map { match in
        String(match.0).replacing(/_bucket$/, with: "")
      }.filter { $0.hasPrefix(prefix) })
  }

  /// What is wrong with metrics in Prometheus' text format; empty: nothing.
  package static func problems(of metrics: String) async throws -> String {
    let directory = try ScratchDirectory()
    let file = directory.path + "/metrics"
    try metrics.write(toFile: file, atomically: true, encoding: .utf8)
    let checked = try await promtool("-c", "promtool check metrics <\"$0\"", file)
    return checked.exit == .code(0) ? "" : "\(checked.output)\(checked.errors)"
  }

  package static func promtool(_ arguments: String...) async throws -> Finished {
    try await SettledProcess(arguments, program: "/bin/sh").finished()
  }
}
