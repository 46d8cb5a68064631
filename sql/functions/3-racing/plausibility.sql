-- What a reviewer must look at before it counts: scores beyond the bounds of the settings, what the provider has
-- flagged, and what was proved late with other values than were claimed. Source: Racing.docc/Activities.md, "What is
-- plausible", and Racing.docc/Claims.md, "Late proof".

-- The bounds of the settings in force, in the units of scores: of speed and distance the highest, of times the least.
CREATE OR REPLACE FUNCTION racing.score_bounds()
RETURNS TABLE (type text, bound bigint, sign integer)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  VALUES
    ('top_speed', settled.setting('racing.max_speed_mm_per_s')::bigint, 1),
    ('furthest_distance', settled.setting('racing.max_distance_m')::bigint * 100, 1),
    ('fastest_1km', ceil(extract(epoch FROM settled.setting_span('racing.min_1km')) * 1000)::bigint, -1),
    ('fastest_5km', ceil(extract(epoch FROM settled.setting_span('racing.min_5km')) * 1000)::bigint, -1)
$$;

-- The bounds that an activity's scores exceed, [{score, value, bound}] in the units of scores: only of scores that
-- could count in a race which its athlete has entered, also as one who is disqualified: an administrator may bring the
-- entry back.
CREATE OR REPLACE FUNCTION racing.exceeded_bounds(activity racing.activity)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('score', b.type, 'value', v.value, 'bound', b.bound) ORDER BY v.place), '[]')
  FROM (VALUES (1, 'top_speed', activity.top_speed_mm_per_s), (2, 'furthest_distance', activity.distance_cm),
    (3, 'fastest_1km', activity.fastest_1km_ms), (4, 'fastest_5km', activity.fastest_5km_ms)) AS v (place, type, value)
  JOIN racing.score_bounds() AS b ON b.type = v.type AND v.value * b.sign > b.bound * b.sign
  WHERE EXISTS (
    SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
    WHERE e.athlete_id = activity.athlete_id AND e.status <> 'refunded'
      AND r.type = b.type AND r.status <> 'cancelled'
      AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at AND activity.imported_at < r.due_at)
$$;

-- Why an activity with scores is to be reviewed, {reasons, bounds}; null where it may count. It may count once a
-- reviewer has approved the same measured content and was shown these reasons, or an administrator has. What was
-- deleted at the provider counts nowhere any more.
CREATE OR REPLACE FUNCTION racing.doubt(activity racing.activity)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  bounds jsonb := racing.exceeded_bounds(activity);
  why text[] := array_remove(ARRAY[
    CASE WHEN bounds <> '[]' THEN 'implausible' END, CASE WHEN activity.provider_flagged THEN 'provider_flag' END,
    CASE WHEN activity.is_changed_late THEN 'late_change' END], NULL);
BEGIN
  IF why = '{}' OR activity.deleted_at IS NOT NULL OR EXISTS (
    SELECT FROM racing.decision AS d JOIN racing.review AS r ON r.id = d.review_id
    WHERE d.activity_id = activity.id AND d.decision = 'approve' AND d.saw_scores
      AND (d.is_overruling OR r.reasons @> why) AND d.measured_hash = racing.measured_content(activity))
  THEN
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object('reasons', why, 'bounds', bounds);
END
$$;

-- Opens the review of a doubted activity, with an event, or adds the doubt to the review that is open. The caller has
-- locked the activity, and sets its status.
CREATE OR REPLACE FUNCTION racing.open_review(activity racing.activity, doubt jsonb, now timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO racing.review AS r (activity_id, opened_at, reasons, bounds)
    VALUES (activity.id, open_review.now, ARRAY(SELECT jsonb_array_elements_text(doubt -> 'reasons')), doubt -> 'bounds')
  ON CONFLICT (activity_id) WHERE state <> 'decided' DO UPDATE
    SET reasons = ARRAY(SELECT DISTINCT unnest(r.reasons || excluded.reasons) ORDER BY 1), bounds = excluded.bounds;
  SELECT settled.emit('activity.under_review', activity.id::text, jsonb_build_object('activityId', activity.id,
    'athleteId', activity.athlete_id, 'flagCount', activity.flag_count, 'reasons', doubt -> 'reasons'), open_review.now)
  WHERE activity.status <> 'under_review';
$$;

-- Brings doubted activities under review, of those that are verified; of those under review the open review gets the
-- doubt. The caller has locked them.
CREATE OR REPLACE FUNCTION racing.review_doubted(activities bigint[], now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.activity;
  doubt jsonb;
BEGIN
  FOR a IN
    SELECT x.* FROM racing.activity AS x
    WHERE x.id = ANY (activities) AND x.status IN ('verified', 'under_review') AND x.scored ORDER BY x.id
  LOOP
    doubt := racing.doubt(a);
    IF doubt IS NOT NULL THEN
      PERFORM racing.open_review(a, doubt, review_doubted.now);
      UPDATE racing.activity AS x SET status = 'under_review' WHERE x.id = a.id AND x.status = 'verified';
    END IF;
  END LOOP;
END
$$;

-- Validation verifies no activity that is doubted, whichever release's daemon validates.
CREATE OR REPLACE FUNCTION racing.doubt_validated()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  doubt jsonb := racing.doubt(NEW);
BEGIN
  IF doubt IS NOT NULL THEN
    PERFORM racing.open_review(NEW, doubt, settled.clock());
    NEW.status := 'under_review';
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER doubt_validated BEFORE UPDATE OF status ON racing.activity
  FOR EACH ROW WHEN (old.status = 'pending' AND new.status = 'verified') EXECUTE FUNCTION racing.doubt_validated();
