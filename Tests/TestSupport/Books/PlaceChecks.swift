import Postgres

extension Books {
  /// Places and prizes of settled races, recomputed from the activities that the settlement counted.
  static let placeChecks = [
    Check(
      "an entry has the place of its best counted activity",
      """
      SELECT format('race %s entry %s: place %s with %s, should be %s with %s', p.race_id, p.entry_id, p.shown_rank,
        p.shown_score, p.rank, p.score)
      FROM (
        SELECT e.race_id, e.id AS entry_id, e.rank AS shown_rank, e.score AS shown_score, b.score,
          CASE WHEN b.score IS NOT NULL THEN rank() OVER (PARTITION BY e.race_id
            ORDER BY CASE WHEN r.type LIKE 'fastest%' THEN b.score ELSE -b.score END NULLS LAST) END AS rank
        FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id
          JOIN racing.entry AS e ON e.race_id = s.race_id AND e.status IN ('completed', 'refunded')
          LEFT JOIN LATERAL (
            SELECT CASE WHEN r.type LIKE 'fastest%' THEN min(x.score) ELSE max(x.score) END AS score FROM (
              SELECT CASE r.type WHEN 'top_speed' THEN a.top_speed_mm_per_s WHEN 'furthest_distance' THEN a.distance_cm
                WHEN 'fastest_1km' THEN a.fastest_1km_ms ELSE a.fastest_5km_ms END AS score
              FROM racing.activity AS a WHERE a.athlete_id = e.athlete_id AND a.id = ANY(s.counted_activities)
                AND a.started_at >= r.starts_at AND a.started_at < r.ends_at AND a.imported_at < r.due_at
            ) AS x
          ) AS b ON true
        WHERE s.revision = (SELECT max(x.revision) FROM racing.settlement AS x WHERE x.race_id = s.race_id)
      ) AS p WHERE p.shown_rank IS DISTINCT FROM p.rank OR p.shown_score IS DISTINCT FROM p.score
      """),
    Check(
      "a better place never gets less, equal places differ by a penny at most, and only paid places get anything",
      """
      SELECT format('race %s: place %s gets %s, place %s gets %s', a.race_id, a.rank, a.prize_pence, b.rank, b.prize_pence)
      FROM racing.entry AS a JOIN racing.entry AS b ON b.race_id = a.race_id AND a.rank <= b.rank AND a.id <> b.id
      WHERE a.rank <= 3 AND b.rank <= 4 AND (a.rank < b.rank AND a.prize_pence < b.prize_pence
        OR a.rank = b.rank AND abs(a.prize_pence - b.prize_pence) > 1 OR b.rank > 3 AND b.prize_pence > 0)
      """),
  ]
}
