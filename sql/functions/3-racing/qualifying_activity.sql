-- The activities that may count in a race: for each entry that takes part, its athlete's activities that started in
-- the window and were imported before the race was due, without displaced ones. It ignores the status: who reads it
-- chooses. Settlement and leaderboard both read it, so they cannot disagree about what counts. score is null where
-- the activity has none for the type. is_held: it counts only if a validation or a review lets it; flags hold by the
-- threshold of this moment, whether or not the escalation job has run. The threshold is that of
-- racing.flag_threshold: readers of this view call no function. OFFSET 0 keeps the planner at one probe of an index
-- for each race and each entry: left alone it probes activities by athlete only, or hashes every activity ever
-- imported (it misjudges a range whose bounds come from another table). A rejected activity is held as well while a
-- reviewer may lift its rejection: with an open review, or with flags at the threshold. What its owner has deleted at
-- the provider is left out, also where it was shown again at the due instant or later; of a settled race the lists of
-- the settlement decide. So is, while racing.proof is on, what another account proved than that of the entry
-- (racing.proves_entry). An open claim is held by its
-- claimed start. Its score is unknown, so it has the best that there is: a former release's daemon then waits for it
-- as for a review. Claims are joined apart, beginning with them where they are few; where none is open, nothing is
-- joined.
CREATE OR REPLACE VIEW racing.qualifying_activity AS
SELECT r.id AS race_id, e.id AS entry_id, e.athlete_id, a.id AS activity_id,
       CASE r.type
         WHEN 'top_speed' THEN a.top_speed_mm_per_s
         WHEN 'furthest_distance' THEN a.distance_cm
         WHEN 'fastest_1km' THEN a.fastest_1km_ms
         WHEN 'fastest_5km' THEN a.fastest_5km_ms
       END AS score,
       a.started_at, a.strava_id, a.status, a.flag_count, a.scored,
       a.status IN ('pending', 'under_review')
         OR a.flag_count > 0 AND a.status IN ('verified', 'rejected') AND a.flag_count >=
           (SELECT coalesce(t.value, t.default_value)::integer FROM settled.setting t WHERE t.key = 'racing.flag_threshold')
             << least(a.approvals, 20)
         OR a.status = 'rejected'
           AND EXISTS (SELECT FROM racing.review w WHERE w.activity_id = a.id AND w.state <> 'decided')
         AS is_held,
       r.status AS race_status, false AS is_claim
FROM racing.race r
CROSS JOIN LATERAL (
  SELECT x.id, x.athlete_id, x.account FROM racing.entry x
  WHERE x.race_id = r.id AND x.status NOT IN ('disqualified', 'refunded')
  OFFSET 0
) e
CROSS JOIN LATERAL (
  SELECT x.id, x.started_at, x.strava_id, x.status, x.flag_count, x.approvals, x.scored,
         x.top_speed_mm_per_s, x.distance_cm, x.fastest_1km_ms, x.fastest_5km_ms
  FROM racing.activity x
  WHERE x.athlete_id = e.athlete_id AND x.started_at >= r.starts_at AND x.started_at < r.ends_at
    AND x.imported_at < r.due_at AND x.strava_id IS NOT NULL
    AND (r.status = 'settled' OR x.deleted_at IS NULL AND coalesce(x.shown_again_at < r.due_at, true))
    AND (r.status = 'settled' OR x.proved_by IS NULL OR x.proved_by = e.account
      OR e.account IS NULL AND (
        x.athlete_id = (SELECT n.athlete_id FROM strava.connection n WHERE n.provider_athlete_id = x.proved_by)
        OR x.athlete_id = (SELECT n.athlete_id FROM racing.entered_account n WHERE n.provider_athlete_id = x.proved_by))
      OR (SELECT coalesce(t.value, t.default_value) FROM settled.setting t WHERE t.key = 'racing.proof') <> 'on')
  OFFSET 0
) a
UNION ALL
SELECT r.id, e.id, e.athlete_id, c.id,
       CASE WHEN r.type IN ('top_speed', 'furthest_distance') THEN 9223372036854775807 ELSE 1 END,
       c.started_at, c.strava_id, 'pending', 0, true, true, r.status, true
FROM racing.claim c
JOIN racing.entry e ON e.athlete_id = c.athlete_id AND e.status NOT IN ('disqualified', 'refunded')
JOIN racing.race r ON r.id = e.race_id AND c.started_at >= r.starts_at AND c.started_at < r.ends_at
  AND c.claimed_at < r.due_at
WHERE c.rejected_at IS NULL AND EXISTS (SELECT FROM racing.claim o WHERE o.rejected_at IS NULL);

COMMENT ON VIEW racing.qualifying_activity IS
  'Activities and open claims that can count in a race: one row per entry, activity and race.';
COMMENT ON COLUMN racing.qualifying_activity.race_id IS 'The race in which the activity can count.';
COMMENT ON COLUMN racing.qualifying_activity.entry_id IS 'The athlete''s entry in the race.';
COMMENT ON COLUMN racing.qualifying_activity.athlete_id IS 'The athlete who recorded or claimed the activity.';
COMMENT ON COLUMN racing.qualifying_activity.activity_id IS 'The id of the activity or claim.';
COMMENT ON COLUMN racing.qualifying_activity.score IS
  'The score in the unit of the race type. A claim gets the best possible score. Null if the activity has no score.';
COMMENT ON COLUMN racing.qualifying_activity.started_at IS 'When the activity started, or the claimed start.';
COMMENT ON COLUMN racing.qualifying_activity.strava_id IS 'The activity''s id at the provider.';
COMMENT ON COLUMN racing.qualifying_activity.status IS 'The activity''s status; pending for a claim.';
COMMENT ON COLUMN racing.qualifying_activity.flag_count IS 'The number of open flags that count.';
COMMENT ON COLUMN racing.qualifying_activity.scored IS 'Whether the activity''s scores are known.';
COMMENT ON COLUMN racing.qualifying_activity.is_held IS
  'Whether the activity counts only after validation, review or proof.';
COMMENT ON COLUMN racing.qualifying_activity.race_status IS 'The race''s status.';
COMMENT ON COLUMN racing.qualifying_activity.is_claim IS 'Whether the row is an open claim.';
