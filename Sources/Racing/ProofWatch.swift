import Engine
import Operations
import Postgres

/// States as a problem what operators have to know about `racing.proof`, as soon as it is so, and as long as it is.
///
/// Source: Racing.docc/Proof.md, "What operators see".
struct ProofWatch: Work {
  let name = "proof-watch"
  let isListed = false
  let ignoresClockStop = true
  let pool: Pool

  private static let problem = "racing proof"

  /// An installation without athletes has other systems, which are not degraded.
  private static let text = "(SELECT racing.proof_problem() WHERE EXISTS (SELECT FROM racing.athlete))"

  let nextDue = """
    SELECT settled.clock() WHERE \(text)
      IS DISTINCT FROM (SELECT p.problem FROM settled.problem AS p WHERE p.name = '\(problem)')
    """

  /// One value: the problem; null where there is none.
  static let current: Statement = "SELECT \(raw: text)"

  /// Not announced: it is due from the moment in which something differs.
  let planned = "SELECT NULL::timestamptz"

  func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    do {
      try await pool.transaction { transaction in
        let text = try await transaction.query(Self.current).one(String?.self)
        try await transaction.execute(
          text.map { ProblemStatements.state(Self.problem, $0) } ?? ProblemStatements.solve(Self.problem))
      }
      return RunOutcome(items: 1)
    } catch {
      return RunOutcome(items: 0, interruption: error)
    }
  }

  func overdue(_ session: Connection) async throws -> Int64 { 0 }

  func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }

  func pruneResolvedFailures(_ session: Connection) async throws {}

  func recoverFromCrash() async {}

  /// The check of `doctor`.
  static let check = Check("racing proof") { transaction in
    let (problem, setting) = try await transaction.query(
      "SELECT racing.proof_problem(), settled.setting('racing.proof')"
    ).one(String?.self, String.self)
    guard let problem else { return .init("racing.proof is \(setting)") }
    return .init(
      problem, ok: false,
      remedy: setting == "off"
        ? "settlectl set racing.proof on, once a node has a provider"
        : "set strava_client_id on a node (settled.conf), or settlectl set racing.proof off")
  }
}
