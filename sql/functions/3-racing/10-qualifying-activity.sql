-- What may count in a race: for each entry that takes part, its athlete's activities that started in the window and
-- were imported before the race was due. Says nothing of status: who reads it chooses. Settlement and leaderboard
-- both read it, so they cannot disagree about what counts. score is null where the activity has none for the type.
CREATE OR REPLACE VIEW racing.qualifying_activity AS
SELECT r.id AS race_id, e.id AS entry_id, e.athlete_id, a.id AS activity_id,
       CASE r.type
         WHEN 'top_speed' THEN a.top_speed_mm_per_s
         WHEN 'furthest_distance' THEN a.distance_cm
         WHEN 'fastest_1km' THEN a.fastest_1km_ms
         WHEN 'fastest_5km' THEN a.fastest_5km_ms
       END AS score,
       a.started_at, a.strava_id, a.status, a.flag_count, a.scored
FROM racing.race r
JOIN racing.entry e ON e.race_id = r.id
JOIN racing.activity a ON a.athlete_id = e.athlete_id
WHERE e.status NOT IN ('disqualified', 'refunded')
  AND a.started_at >= r.starts_at AND a.started_at < r.ends_at
  AND a.imported_at < r.due_at;
