package import Postgres

/// Known problems until they are resolved: rows of `settled.problem`, which every node shows in health and status.
package enum ProblemStatements {
  package static func state(_ name: String, _ problem: String) -> Statement {
    """
    INSERT INTO settled.problem AS p (name, problem, since) VALUES (\(name), \(problem), settled.clock())
    ON CONFLICT (name) DO UPDATE SET problem = excluded.problem WHERE p.problem <> excluded.problem
    """
  }

  /// The name of the problem of a schedule's failed run.
  package static func name(of schedule: String) -> String { "schedule \(schedule)" }

  package static func solve(_ name: String) -> Statement {
    "DELETE FROM settled.problem WHERE name = \(name)"
  }

  /// SQL of one value: the first few problems, oldest first; for each its name, its text and its start in microseconds
  /// since 1970.
  static let standing = """
    coalesce((SELECT array_agg(t.text ORDER BY p.since, p.name, t.place)
      FROM (SELECT * FROM settled.problem ORDER BY since, name LIMIT 20) AS p,
        LATERAL (VALUES (1, p.name), (2, p.problem), (3, (1e6 * extract(epoch FROM p.since))::bigint::text))
          AS t (place, text)), '{}')
    """
}
