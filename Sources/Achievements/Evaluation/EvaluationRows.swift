import Postgres

enum EvaluationRows {
  /// How many people an evaluation concerns, for those that begin.
  static func count(_ evaluations: [Int64]) -> Statement {
    """
    UPDATE achievements.evaluation AS v SET total = CASE
      WHEN v.metric IS NOT NULL THEN (SELECT count(*) FROM achievements.counter AS n
        WHERE n.metric = v.metric AND n.target_key = v.target_key AND n.value >= v.last_value)
      WHEN v.step_id IS NOT NULL THEN (SELECT count(*) FROM achievements.completion AS f WHERE f.step_id = v.step_id)
      ELSE (SELECT count(*) FROM achievements.person) END
    WHERE v.id = ANY(\(evaluations)) AND v.total IS NULL
    """
  }

  static func evaluations(_ ids: [Int64]) -> Statement {
    """
    SELECT v.id, v.last_value, v.last_user, v.done, v.left_users FROM achievements.evaluation AS v
    WHERE v.id = ANY(\(ids)) ORDER BY v.id
    """
  }

  /// The next people of the walk: by the value of their counter and their id, or, where the evaluation
  /// is of those who completed a step or of everybody, by their id. Each of the three is one look into
  /// an index; the other two find nothing.
  static func next(of evaluation: Evaluation, limit: Int) -> Statement {
    """
    WITH v AS MATERIALIZED (
      SELECT x.metric, x.target_key, x.step_id, e.achievement_id FROM achievements.evaluation AS x
      JOIN achievements.edition AS e ON e.number = x.edition WHERE x.id = \(evaluation.id)
    ), found AS (
      (SELECT n.user_id, n.value FROM achievements.counter AS n
      WHERE n.metric = (SELECT metric FROM v) AND n.target_key = (SELECT target_key FROM v)
        AND (n.value, n.user_id) > (\(evaluation.lastValue)::bigint, \(evaluation.lastUser)::bigint)
      ORDER BY n.value, n.user_id LIMIT \(raw: "\(limit)"))
      UNION ALL
      (SELECT f.user_id, 0 FROM achievements.completion AS f
      WHERE f.step_id = (SELECT step_id FROM v) AND f.user_id > \(evaluation.lastUser)
      ORDER BY f.user_id LIMIT \(raw: "\(limit)"))
      UNION ALL
      (SELECT p.id, 0 FROM achievements.person AS p
      WHERE (SELECT metric IS NULL AND step_id IS NULL FROM v) AND p.id > \(evaluation.lastUser)
      ORDER BY p.id LIMIT \(raw: "\(limit)"))
    )
    SELECT f.user_id, f.value, EXISTS (SELECT FROM achievements.unlock AS u
      WHERE u.user_id = f.user_id AND u.achievement_id = (SELECT achievement_id FROM v))
    FROM found AS f ORDER BY f.value, f.user_id
    """
  }

  static func candidates(_ rows: Rows) throws(PostgresError) -> [EvaluationPiece.Candidate] {
    try rows.decode(Int64.self, Int64.self, Bool.self).map {
      EvaluationPiece.Candidate(user: $0, value: $1, isUnlocked: $2)
    }
  }

  /// Locks people whose rows nobody holds; or waits for them, as long as a batch may.
  static func lock(_ people: [Int64], waits: Bool) -> Statement {
    """
    SELECT p.id FROM achievements.person AS p WHERE p.id = ANY(\(people)) ORDER BY p.id
    FOR NO KEY UPDATE OF p \(raw: waits ? "" : "SKIP LOCKED")
    """
  }

  static func keep(_ piece: EvaluationPiece) -> Statement {
    """
    UPDATE achievements.evaluation AS v SET last_value = \(piece.lastValue), last_user = \(piece.lastUser),
      done = \(piece.done), left_users = \(piece.left)
    WHERE v.id = \(piece.evaluation)
    """
  }

  static func finish(_ piece: EvaluationPiece) -> Statement {
    "DELETE FROM achievements.evaluation AS v WHERE v.id = \(piece.evaluation)"
  }

  /// Editions that were replaced, and by which nobody is to be judged any more. The changes of open
  /// transactions are not seen here, so that an edition is kept for a day longer.
  static let forgetReplaced: Statement = """
    DELETE FROM achievements.edition AS e
    WHERE e.replaced_by <= achievements.evaluated_through((SELECT max(x.number) FROM achievements.edition AS x))
      AND NOT EXISTS (SELECT FROM achievements.person AS p
        WHERE p.due_at IS NOT NULL AND p.changed_at IS NOT NULL AND p.edition < e.replaced_by)
      AND NOT EXISTS (SELECT FROM achievements.edition AS r
        WHERE r.number = e.replaced_by AND r.defined_at > settled.clock() - interval '1 day')
    """
}

extension Evaluation {
  /// A row of `EvaluationRows.evaluations`.
  init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row["id"], lastValue: try row["last_value"], lastUser: try row["last_user"], done: try row["done"],
      left: try row["left_users"])
  }
}
