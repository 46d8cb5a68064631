import Engine
import Postgres

/// Whether operators stopped withdrawals: a problem that every node shows, and that `racing.withdraw()` looks for.
enum WithdrawalStop {
  static let problem = "withdrawals"

  /// Characters of the reason that the problem shows; the audit has all of it.
  private static let reasonMax = 200

  static func stop(_ reason: String) -> Statement {
    let short = reason.count > reasonMax ? reason.prefix(reasonMax) + " ..." : reason
    return ProblemStatements.state(
      problem, "withdrawals are stopped: \(short) (settlectl withdrawals resume)")
  }

  static let resume = ProblemStatements.solve(problem)

  /// A row of JSON: `{stopped, problem, since}`.
  static let standing: Statement = """
    SELECT jsonb_build_object('stopped', p.name IS NOT NULL, 'problem', p.problem, 'since', settled.iso(p.since))
    FROM (SELECT) AS one LEFT JOIN settled.problem AS p ON p.name = \(problem)
    """

  /// As a figure.
  static let isStanding: Statement = """
    SELECT '', count(*)::double precision FROM settled.problem AS p WHERE p.name = \(problem)
    """
}
