import Foundation
import TextCoding

/// The files of `deploy/monitoring`, and promtool, which reads them as Prometheus does.
package enum Monitoring {
  package static let directory = Checkout.root.appending(path: "deploy/monitoring").path()

  /// The metrics that alerts and dashboard ask for: those with this prefix, without
  /// the endings of a histogram's series.
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

  /// What Prometheus says of the dashboard's queries, as rules of its own; empty: nothing.
  package static func problemsOfQueries() async throws -> String {
    let dashboard = try JSONValue(Checkout.text("deploy/monitoring/settled.dashboard.json"))
    let queries = (dashboard["panels"]?.elements ?? []).flatMap { $0["targets"]?.elements ?? [] }
      .compactMap { $0["expr"]?.text }
    guard queries.count > 5 else { return "only \(queries.count) queries" }
    let rules = queries.enumerated().map { "  - record: query:\($0.offset)\n    expr: '\($0.element)'\n" }
    let directory = try ScratchDirectory()
    let file = directory.path + "/queries.yml"
    try ("groups:\n- name: dashboard\n  rules:\n" + rules.joined()).write(
      toFile: file, atomically: true, encoding: .utf8)
    let checked = try await promtool("-c", "promtool check rules \"$0\"", file)
    return checked.exit == .code(0) ? "" : "\(checked.output)\(checked.errors)"
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
