import Engine
import TextCoding
import Money
import Postgres

/// The facts for a reviewer's decision: the activity against its races' fields, and what each decision would change.
///
/// The decisions are made for real, by the function and the code that make them otherwise, and rolled back.
struct ReviewPreview: Sendable {
  let activity: Int64
  let gate: ClaimGate

  /// The row of `racing.flagged` with `affected`, one object for each race that the activity may count in.
  func json(in transaction: Transaction) async throws -> JSON {
    let row = try await transaction.query("SELECT racing.review_of(\(activity))").one(JSON.self)
    let fields = try await transaction.query(Self.fields(activity)).decode(Int64.self, JSON.self)
    let races = fields.map(\.0)
    let now = try await outcomes(races, in: transaction)
    let approve = try await outcomes(races, after: "approve", in: transaction)
    let disqualify = try await outcomes(races, after: "disqualify", in: transaction)
    let affected = fields.map { race, field -> JSONValue in
      [
        "raceId": .integer(race), "field": .raw(field), "now": now?[race] ?? .null,
        "approve": approve?[race] ?? .null, "disqualify": disqualify?[race] ?? .null,
      ]
    }
    let more: JSONValue = ["affected": .array(affected)]
    return try await transaction.query("SELECT \(row) || \(more.json)").one(JSON.self)
  }

  /// The results of the races, by race; nil where the decision would be refused.
  private func outcomes(
    _ races: [Int64], after decision: String? = nil, in transaction: Transaction
  ) async throws -> [Int64: JSONValue]? {
    if let decision {
      let isRefused = try await transaction.query(
        "SELECT racing.decision_refusal(a, \(decision)) IS NOT NULL FROM racing.activity AS a WHERE a.id = \(activity)"
      ).one(Bool.self)
      if isRefused { return nil }
    }
    try await transaction.execute("SAVEPOINT preview")
    if let decision {
      _ = try await transaction.query("SELECT racing.review_activity(\(activity), \(decision), 'preview', '')")
    }
    let now = try await gate.again(transaction)
    let tasks = try await SettlementGather.tasks(races, at: now, withOpen: true, in: transaction)
    var outcomes: [Int64: JSONValue] = [:]
    for task in tasks { outcomes[task.raceId] = try ReviewOutcome(task).json }
    try await transaction.execute("ROLLBACK TO SAVEPOINT preview")
    return outcomes
  }

  /// The athlete's races whose window holds the activity, with the figures of the field beside the activity's own.
  static func fields(_ activity: Int64) -> Statement {
    """
    SELECT r.id, jsonb_build_object('type', r.type, 'duration', r.duration, 'category', r.category, 'status', r.status,
      'dueAt', settled.iso(r.due_at), 'entryId', e.id, 'entryStatus', e.status, 'entries', r.entry_count,
      'score', CASE r.type WHEN 'top_speed' THEN a.top_speed_mm_per_s WHEN 'furthest_distance' THEN a.distance_cm
        WHEN 'fastest_1km' THEN a.fastest_1km_ms ELSE a.fastest_5km_ms END,
      'best', f.scores[1:3], 'median', f.median, 'ranked', f.ranked)
    FROM racing.activity AS a
    JOIN racing.entry AS e ON e.athlete_id = a.athlete_id
    JOIN racing.race AS r ON r.id = e.race_id AND r.starts_at <= a.started_at AND a.started_at < r.ends_at
      AND r.due_at > a.imported_at AND r.status <> 'cancelled'
    CROSS JOIN LATERAL (
      SELECT count(*) AS ranked, coalesce(array_agg(q.score ORDER BY q.merit DESC), '{}') AS scores,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY q.merit DESC) * CASE WHEN r.type LIKE 'fastest%' THEN -1 ELSE 1 END
          AS median
      FROM (
        SELECT max(CASE WHEN r.type LIKE 'fastest%' THEN -x.score ELSE x.score END) AS merit,
          abs(max(CASE WHEN r.type LIKE 'fastest%' THEN -x.score ELSE x.score END)) AS score
        FROM racing.qualifying_activity AS x
        WHERE x.race_id = r.id AND x.status = 'verified' AND NOT x.is_held AND x.score IS NOT NULL AND x.activity_id <> a.id
        GROUP BY x.entry_id
      ) AS q
    ) AS f
    WHERE a.id = \(activity) ORDER BY r.id
    """
  }
}
