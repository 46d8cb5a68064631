import Postgres

/// The money of listed failures.
enum FailureMoney {
  /// The items of a job among an array of failures.
  static func keys(of job: String, in failures: JSON) -> Statement {
    "SELECT f ->> 'key' FROM jsonb_array_elements(\(failures)::jsonb) AS f WHERE f ->> 'job' = \(job)"
  }

  /// The same array, with the pence of these items.
  static func add(_ money: HeldMoney, of keys: [String], to failures: JSON) -> Statement {
    """
    SELECT jsonb_agg(CASE WHEN h.pence IS NULL THEN f ELSE f || jsonb_build_object('heldPence', h.pence) END ORDER BY l.n)
    FROM jsonb_array_elements(\(failures)::jsonb) WITH ORDINALITY AS l (f, n)
    LEFT JOIN (\(fragment: money.ofItems(keys))) AS h (key, pence) ON h.key = f ->> 'key' AND f ->> 'job' = \(money.job)
    """
  }
}
