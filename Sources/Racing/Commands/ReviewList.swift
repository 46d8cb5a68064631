import Operations
import Postgres

/// `review list`: a page of what is open, as `racing.flagged` has it, with the money that each may move.
enum ReviewList {
  /// Each may come with ten flags of long notes.
  private static let pageMax: Int64 = 100

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? pageMax
    guard (1...pageMax).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and \(pageMax)")
    }
    return try await transaction.query(statement(after: call.integer("after"), limit: limit)).one(JSON.self)
  }

  /// `stakePence`: the prize pools of the athlete's races that are not settled and whose windows hold the activity.
  static func statement(after: Int64?, limit: Int64) -> Statement {
    """
    WITH page AS MATERIALIZED (
      SELECT p.row, p.place, a.id, a.athlete_id, a.started_at
      FROM jsonb_array_elements(racing.flagged_page(\(after), \(limit)::integer)) WITH ORDINALITY AS p (row, place)
      JOIN racing.activity AS a ON a.id = (p.row -> 'activity' ->> 'id')::bigint
    ), held AS MATERIALIZED (
      SELECT p.id, r.id AS race, r.platform_fee_percent AS percent
      FROM page AS p
      JOIN racing.entry AS e ON e.athlete_id = p.athlete_id AND e.status = 'entered'
      JOIN racing.race AS r ON r.id = e.race_id AND r.status NOT IN ('settled', 'cancelled')
        AND r.starts_at <= p.started_at AND p.started_at < r.ends_at
    ), pool AS MATERIALIZED (
      SELECT h.race, g.gross - floor(g.gross * h.percent / 100)::bigint AS pence
      FROM (SELECT DISTINCT x.race, x.percent FROM held AS x) AS h
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(e.fee_pence), 0)::bigint AS gross FROM racing.entry AS e
        WHERE e.race_id = h.race AND e.status NOT IN ('disqualified', 'refunded')) AS g
    ), stake AS (
      SELECT h.id, sum(o.pence)::bigint AS pence FROM held AS h JOIN pool AS o ON o.race = h.race GROUP BY h.id
    )
    SELECT coalesce(jsonb_agg(p.row || jsonb_build_object('stakePence', coalesce(s.pence, 0)) ORDER BY p.place), '[]')
    FROM page AS p LEFT JOIN stake AS s ON s.id = p.id
    """
  }
}
