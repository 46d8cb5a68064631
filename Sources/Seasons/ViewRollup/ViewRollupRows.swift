import Postgres

enum ViewRollupRows {
  static func views(_ ids: [Int64]) -> Statement {
    "SELECT w.id, w.talk_id FROM seasons.uncounted_view AS w WHERE w.id = ANY(\(ids))"
  }

  static func views(_ rows: Rows) throws(PostgresError) -> [TalkView] {
    try rows.decode(Int64.self, Int64.self).map { TalkView(id: $0, talk: $1) }
  }

  /// Counts the views, and each viewer of a talk once. Two nodes write viewers, then
  /// totals, each in the order of its key.
  static func count(_ ids: [Int64]) -> Statement {
    """
    WITH gone AS (
      DELETE FROM seasons.uncounted_view AS w WHERE w.id = ANY(\(ids)) RETURNING w.*
    ), fresh AS (
      INSERT INTO seasons.viewer (talk_id, user_id)
      SELECT DISTINCT g.talk_id, g.user_id FROM gone AS g ORDER BY g.talk_id, g.user_id
      ON CONFLICT ON CONSTRAINT viewer_once DO NOTHING RETURNING talk_id
    ), latest AS (
      INSERT INTO seasons.recent_view (talk_id, viewed_at, id, user_id, display_name)
      SELECT n.talk_id, n.viewed_at, n.id, n.user_id, n.display_name
      FROM (
        SELECT g.*, row_number() OVER (PARTITION BY g.talk_id ORDER BY g.viewed_at DESC, g.id DESC) AS place
        FROM gone AS g
      ) AS n WHERE n.place <= 20
    )
    INSERT INTO seasons.view_total AS t (talk_id, views, viewers)
    SELECT g.talk_id, count(*), (SELECT count(*) FROM fresh AS f WHERE f.talk_id = g.talk_id) FROM gone AS g
    GROUP BY g.talk_id ORDER BY g.talk_id
    ON CONFLICT (talk_id) DO UPDATE SET views = t.views + excluded.views, viewers = t.viewers + excluded.viewers
    """
  }

  /// Keeps the latest twenty views of each talk.
  static func trim(_ talks: [Int64]) -> Statement {
    """
    DELETE FROM seasons.recent_view AS r
    USING unnest(\(talks)) AS k(talk_id), LATERAL (
      SELECT x.viewed_at, x.id FROM seasons.recent_view AS x WHERE x.talk_id = k.talk_id
      ORDER BY x.viewed_at DESC, x.id DESC OFFSET 19 LIMIT 1
    ) AS twentieth
    WHERE r.talk_id = k.talk_id AND (r.viewed_at, r.id) < (twentieth.viewed_at, twentieth.id)
    """
  }
}
