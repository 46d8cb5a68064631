import Engine
import Postgres

/// `review list`: a page of what is open, in the order of `racing.flagged`.
enum ReviewList {
  private static let pageMax: Int64 = 1000

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? pageMax
    guard (1...pageMax).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit is 1 to \(pageMax)")
    }
    let after = call.integer("after")
    let (page, isKnown) = try await transaction.query(statement(after: after, limit: limit)).one(JSON.self, Bool.self)
    guard isKnown else {
      let activity = after.map(String.init) ?? "-"
      throw CommandError(
        .refused, rule: "after", "activity \(activity) is no longer open: begin the list again from its start")
    }
    return page
  }

  /// The page, and whether the activity that it follows is open. Only the rows of the page are made JSON.
  static func statement(after: Int64?, limit: Int64) -> Statement {
    """
    WITH open AS (
      SELECT a.id, ROW(coalesce(r.opened_at, 'infinity'), coalesce(r.id, 0), -a.flag_count::bigint, a.id) AS place
      FROM racing.activity AS a
      LEFT JOIN racing.review AS r ON r.activity_id = a.id AND r.state <> 'decided'
      WHERE a.id IN (
        SELECT x.id FROM racing.activity AS x WHERE x.flag_count > 0
        UNION SELECT x.activity_id FROM racing.review AS x WHERE x.state <> 'decided')
    ), page AS (
      SELECT o.id, o.place FROM open AS o
      WHERE \(after)::bigint IS NULL OR o.place > (SELECT l.place FROM open AS l WHERE l.id = \(after))
      ORDER BY o.place LIMIT \(limit)
    )
    SELECT (SELECT coalesce(jsonb_agg(racing.flagged_json(a) ORDER BY p.place), '[]')
        FROM page AS p JOIN racing.activity AS a ON a.id = p.id),
      \(after)::bigint IS NULL OR EXISTS (SELECT FROM open WHERE id = \(after))
    """
  }
}
