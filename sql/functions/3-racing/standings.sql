-- The ranking of a race by what is verified and not held now: of each entry the best qualifying activity
-- (equal: the earlier start, then the lower strava id, names it), then competition ranking (1, 2, 2, 4).
-- Entries without a score are absent. In PL/pgSQL, because a session then plans the query once; ROWS, because a reader
-- otherwise scans all entries.
CREATE OR REPLACE FUNCTION racing.standings(race_id bigint)
RETURNS TABLE (rank bigint, entry_id bigint, athlete_id bigint, score bigint, activity_id bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT rank() OVER (ORDER BY best.key), best.entry_id, best.athlete_id, best.score, best.activity_id
  FROM (
    SELECT DISTINCT ON (q.entry_id) q.entry_id, q.athlete_id, q.score, q.activity_id,
           CASE WHEN r.type IN ('fastest_1km', 'fastest_5km') THEN q.score ELSE -q.score END AS key
    FROM racing.qualifying_activity q
    JOIN racing.race r ON r.id = q.race_id
    WHERE q.race_id = standings.race_id AND q.status = 'verified' AND NOT q.is_held AND q.score IS NOT NULL
    ORDER BY q.entry_id, 5, q.started_at, q.strava_id
  ) best;
END
$$;
