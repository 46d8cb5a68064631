import Engine
import Operations
import Scheduling
import Postgres

/// How many calls the connections need, and how many the provider allows: a problem as long as it is too many,
/// as are the reads of the next day.
enum TokenDemand {
  static let name = "token-demand"
  static let problem = "token-refresh budget"

  struct Figures: Sendable {
    let active: Int64
    let needed: Int64
    let allowed: Int64

    var isTooHigh: Bool { needed > allowed }

    var text: String {
      """
      \(active.counted("connection needs", "connections need")) about \(needed) calls a day, and the provider allows \
      \(allowed)\(isTooHigh ? ": the demand is \((needed * 10 / max(allowed, 1)).tenths) times the limit" : "")
      """
    }
  }

  static func read(in transaction: Transaction) async throws -> Figures {
    let (active, needed, allowed) = try await transaction.query(
      "SELECT active, needed_day, allowed_day FROM strava.demand()"
    ).one(Int64.self, Int64.self, Int64.self)
    return Figures(active: active, needed: needed, allowed: allowed)
  }

  static let schedule = BuiltInSchedule(name, cron: "7 * * * *") { _, _, transaction in
    let (figures, reads) = (try await read(in: transaction), try await ReadDemand.read(in: transaction))
    for (name, text) in [
      (problem, figures.isTooHigh ? figures.text : nil), (ReadDemand.problem, reads.isTooHigh ? reads.text : nil),
    ] {
      try await transaction.execute(text.map { ProblemStatements.state(name, $0) } ?? ProblemStatements.solve(name))
    }
    return figures.active
  }
}

extension Int64 {
  /// `25` as 2.5.
  fileprivate var tenths: String { "\(self / 10).\(self % 10)" }
}
