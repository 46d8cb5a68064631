-- Why a decision on an activity is refused, as the DETAIL of the refusal; null where it may be made. Something must be
-- open, a flag or a review; but a verified activity that was never decided may be disqualified at any time.
CREATE OR REPLACE FUNCTION racing.decision_refusal(activity racing.activity, decision text)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE
    WHEN activity.flag_count + activity.uncounted_flags > 0
      OR EXISTS (SELECT FROM racing.review AS r WHERE r.activity_id = activity.id AND r.state <> 'decided') THEN NULL
    WHEN last.id IS NOT NULL THEN jsonb_build_object('rule', 'decided', 'by', last.reviewer,
      'decision', last.decision, 'at', settled.iso(last.decided_at))
    WHEN decision_refusal.decision = 'disqualify' AND activity.status = 'verified' THEN NULL
    ELSE jsonb_build_object('rule', 'status', 'status', activity.status) END
  FROM (VALUES (true)) AS one
  LEFT JOIN LATERAL (
    SELECT d.* FROM racing.decision AS d
    WHERE d.activity_id = activity.id AND d.decision <> 'request_info' ORDER BY d.id DESC LIMIT 1
  ) AS last ON true
$$;

-- Takes the entries that a disqualified activity spoils out of their races: of those not settled at once, of settled
-- ones by the correction for which they are marked. An entry of a void race stays. Yields the races.
CREATE OR REPLACE FUNCTION racing.disqualify_entries(activity racing.activity, races bigint[], now timestamptz)
RETURNS bigint[]
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH gone AS (
    UPDATE racing.entry AS e
    SET disqualified_by = activity.id, status = CASE WHEN e.status = 'entered' THEN 'disqualified' ELSE e.status END
    WHERE e.race_id = ANY (races) AND e.athlete_id = activity.athlete_id AND e.status IN ('entered', 'completed')
      AND e.disqualified_by IS NULL
    RETURNING e.race_id
  ), marked AS (
    UPDATE racing.race AS r SET correction_due_at = coalesce(r.correction_due_at, disqualify_entries.now),
      next_check_at = CASE WHEN r.status = 'ended' THEN r.due_at ELSE r.next_check_at END, waiting_activities = '{}'
    WHERE r.id IN (SELECT g.race_id FROM gone AS g)
    RETURNING r.id
  )
  SELECT coalesce(array_agg(m.id ORDER BY m.id), '{}') FROM marked AS m
$$;

-- The settled races in whose latest revision an approved activity does not count, and will not: those that it came too
-- late for. A race that is yet to be corrected by it is not among them.
CREATE OR REPLACE FUNCTION racing.missed_races(activity racing.activity, races bigint[])
RETURNS bigint[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(r.id ORDER BY r.id), '{}')
  FROM racing.race AS r
  JOIN racing.entry AS e ON e.race_id = r.id AND e.athlete_id = activity.athlete_id
    AND e.status <> 'disqualified' AND e.disqualified_by IS NULL
  CROSS JOIN LATERAL (
    SELECT x.outcome, x.counted_activities FROM racing.settlement AS x
    WHERE x.race_id = r.id ORDER BY x.revision DESC LIMIT 1
  ) AS s
  WHERE r.id = ANY (races) AND r.status = 'settled' AND activity.id <> ALL (s.counted_activities)
    AND NOT (s.outcome = 'paid' AND EXISTS (
      SELECT FROM racing.late_activity AS l WHERE l.race_id = r.id AND l.activity_id = activity.id))
$$;

-- Decides on an activity, or asks for more about it: records who, when and why, and marks what must follow. Jobs
-- refund, settle and correct. Locks in the order of all: athlete (so that nobody enters meanwhile), activity, races.
-- Source: Racing.docc/Moderation.md, "Decisions".
CREATE OR REPLACE FUNCTION racing.review_activity(activity_id bigint, decision text, reviewer text, note text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.activity;
  refusal jsonb;
  now timestamptz;
  races bigint[];
  affected bigint[] := '{}'::bigint[];
  missed bigint[] := '{}'::bigint[];
  review bigint;
  new_status text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(activity_id, 'activity-id');
  IF decision IS NULL OR decision NOT IN ('approve', 'disqualify', 'request_info') THEN
    PERFORM settled.fail('SD400', 'decision', 'a decision is approve, disqualify or request_info');
  END IF;
  PERFORM settled.check_text(reviewer, 'reviewer', min => 1);
  PERFORM settled.check_text(note, 'note');
  PERFORM FROM racing.athlete AS x
    WHERE x.id = (SELECT y.athlete_id FROM racing.activity AS y WHERE y.id = review_activity.activity_id)
    FOR NO KEY UPDATE;
  SELECT x.* INTO a FROM racing.activity AS x WHERE x.id = review_activity.activity_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  END IF;
  refusal := racing.decision_refusal(a, review_activity.decision);
  IF refusal IS NOT NULL THEN
    PERFORM settled.fail('SD409', refusal ->> 'rule', CASE refusal ->> 'rule'
      WHEN 'decided' THEN format('%s has decided: %s', refusal ->> 'by', refusal ->> 'decision')
      ELSE format('there is nothing to decide: the activity is %s', a.status) END, refusal);
  END IF;
  races := ARRAY(
    SELECT r.id FROM racing.race AS r
    WHERE r.id IN (SELECT e.race_id FROM racing.entry AS e WHERE e.athlete_id = a.athlete_id)
      AND r.status <> 'cancelled' AND r.starts_at <= a.started_at AND a.started_at < r.ends_at
      AND r.due_at > a.imported_at
    ORDER BY r.id FOR NO KEY UPDATE);
  now := settled.clock();

  SELECT r.id INTO review FROM racing.review AS r WHERE r.activity_id = a.id AND r.state <> 'decided';
  IF NOT FOUND THEN
    INSERT INTO racing.review (activity_id, opened_at) VALUES (a.id, now) RETURNING id INTO review;
  END IF;
  INSERT INTO racing.decision (review_id, activity_id, decision, reviewer, note, decided_at)
    VALUES (review, a.id, review_activity.decision, review_activity.reviewer, review_activity.note, now);
  UPDATE racing.review AS r
    SET state = CASE WHEN review_activity.decision = 'request_info' THEN 'info_requested' ELSE 'decided' END
    WHERE r.id = review;

  -- An approval lifts a rejection, a question does not.
  new_status := CASE
    WHEN review_activity.decision = 'disqualify' THEN 'disqualified'
    WHEN review_activity.decision = 'request_info' THEN
      CASE a.status WHEN 'rejected' THEN 'rejected' ELSE 'under_review' END
    WHEN a.scored THEN 'verified'
    ELSE 'pending' END;
  IF review_activity.decision = 'request_info' THEN
    UPDATE racing.activity AS x SET status = new_status WHERE x.id = a.id;
    IF new_status <> a.status THEN
      PERFORM settled.emit('activity.under_review', a.id::text, jsonb_build_object(
        'activityId', a.id, 'athleteId', a.athlete_id, 'flagCount', a.flag_count), now);
      PERFORM racing.check_again(races);
    END IF;
    PERFORM settled.emit('review.info_requested', a.id::text, jsonb_build_object(
      'activityId', a.id, 'reviewer', review_activity.reviewer, 'note', review_activity.note), now);
  ELSE
    UPDATE racing.flag AS f SET closed_at = now, closed_content = a.content_hash
      WHERE f.activity_id = a.id AND f.closed_at IS NULL;
    UPDATE racing.activity AS x
      SET status = new_status, flag_count = 0, uncounted_flags = 0,
        reasons = '{}'
      WHERE x.id = a.id;
    PERFORM settled.emit('review.decided', a.id::text, jsonb_build_object(
      'activityId', a.id, 'decision', review_activity.decision, 'reviewer', review_activity.reviewer), now);
    IF review_activity.decision = 'disqualify' THEN
      affected := racing.disqualify_entries(a, races, now);
    ELSE
      PERFORM racing.check_again(races);
      affected := ARRAY(
        SELECT r.id FROM racing.race AS r WHERE r.id = ANY (races) AND r.status <> 'settled'
        UNION SELECT unnest(racing.verified_late(ARRAY[a.id], now)) ORDER BY 1);
      missed := racing.missed_races(a, races);
    END IF;
  END IF;
  RETURN jsonb_build_object('activityId', a.id, 'status', new_status, 'decision', review_activity.decision,
    'affectedRaces', to_jsonb(affected), 'missedRaces', to_jsonb(missed));
END
$$;

-- The digest of what was measured of an activity: its type, start, times, distance, speed and streams, not its name,
-- track or places.
CREATE OR REPLACE FUNCTION racing.measured_content(activity racing.activity)
RETURNS bytea
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT sha256(
    convert_to(jsonb_build_array(activity.activity_type, extract(epoch FROM activity.started_at),
      trim_scale(activity.elapsed_time), trim_scale(activity.moving_time), trim_scale(activity.distance),
      trim_scale(activity.max_speed))::text, 'UTF8')
    || coalesce((
      SELECT sha256(array_send(s.times) || array_send(s.distances))
      FROM racing.activity_stream AS s WHERE s.activity_id = activity.id), ''))
$$;

-- How often what is measured of an activity now was approved.
CREATE OR REPLACE FUNCTION racing.approvals_of(activity racing.activity)
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT count(*)::integer FROM racing.decision AS d
  WHERE d.activity_id = activity.id AND d.decision = 'approve' AND d.measured_hash = racing.measured_content(activity)
$$;

-- Each approval doubles the flags that the same measured content needs for the next review, whoever approves.
CREATE OR REPLACE FUNCTION racing.count_approval()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE racing.activity AS a SET approvals = a.approvals + 1 WHERE a.id = new.activity_id
    RETURNING racing.measured_content(a) INTO new.measured_hash;
  RETURN new;
END
$$;

CREATE OR REPLACE TRIGGER approved BEFORE INSERT ON racing.decision
  FOR EACH ROW WHEN (new.decision = 'approve') EXECUTE FUNCTION racing.count_approval();

SELECT settled.declare_callers('racing',
  contract => '{review_activity}',
  daemon => '{decision_refusal, review_activity, missed_races}');
