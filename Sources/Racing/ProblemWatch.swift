import Engine
import Operations
import Postgres

/// States a problem of racing as soon as there is one, and removes it when it has gone.
///
/// Source: Racing.docc/Proof.md, "What operators see".
struct ProblemWatch: Work {
  /// A problem by its name, with the SQL of its text, which is null where all is well.
  struct Problem {
    let watch: String
    let name: String
    let text: String

    /// What operators have to know about `racing.proof`. An installation without athletes has other systems, which are
    /// not degraded.
    static let proof = Problem(
      watch: "proof-watch", name: "racing proof",
      text: "(SELECT racing.proof_problem() WHERE EXISTS (SELECT FROM racing.athlete))")

    /// The claims that races wait for.
    static let claims = Problem(watch: "claim-watch", name: "racing claims", text: "racing.claims_problem()")

    /// One value: the problem; null where there is none.
    var current: Statement { "SELECT \(raw: text)" }
  }

  let problem: Problem
  let pool: Pool
  let isListed = false
  let ignoresClockStop = true

  var name: String { problem.watch }

  var nextDue: String {
    """
    SELECT settled.clock() WHERE \(problem.text)
      IS DISTINCT FROM (SELECT p.problem FROM settled.problem AS p WHERE p.name = '\(problem.name)')
    """
  }

  /// Not announced: it is due from the moment in which something differs.
  let planned = "SELECT NULL::timestamptz"

  func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    do {
      try await pool.transaction { transaction in
        let text = try await transaction.query(problem.current).one(String?.self)
        try await transaction.execute(
          text.map { ProblemStatements.state(problem.name, $0) } ?? ProblemStatements.solve(problem.name))
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

  /// The check of `doctor` about `racing.proof`.
  static let proofCheck = Check("racing proof") { transaction in
    let (problem, setting) = try await transaction.query(
      "SELECT racing.proof_problem(), settled.setting('racing.proof')"
    ).one(String?.self, String.self)
    guard let problem else { return .init("racing.proof is \(setting)") }
    return .init(
      problem, ok: false,
      remedy: setting == "off"
        ? "settlectl set racing.proof on, once strava_client_id is set on a node"
        : "set strava_client_id on a node (settled.conf), or settlectl set racing.proof off")
  }
}
