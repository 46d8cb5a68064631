-- Whether an athlete takes part in a race, or may still enter it. Who has no birth date or gender yet may.
CREATE OR REPLACE FUNCTION racing.may_take_part(athlete_id bigint, race racing.race)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (SELECT FROM racing.entry AS e WHERE e.race_id = race.id AND e.athlete_id = may_take_part.athlete_id)
    OR race.status IN ('upcoming', 'active') AND settled.clock() < race.ends_at - race.entry_cutoff AND EXISTS (
      SELECT FROM racing.athlete AS a WHERE a.id = may_take_part.athlete_id AND a.erased_at IS NULL AND coalesce(
        racing.may_enter(a.gender, racing.age_on(a.date_of_birth, racing.local_date(race.starts_at)), race.category), true))
$$;

-- Whether a moderator has a part in what is decided: as the activity's athlete, or by an entry in a race whose window
-- holds it, and which its athlete has entered or may still enter. The caller has locked both athletes, so that neither
-- enters a race meanwhile.
CREATE OR REPLACE FUNCTION racing.is_own_race(activity racing.activity, reviewer_athlete bigint)
RETURNS boolean
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(activity.athlete_id = reviewer_athlete OR EXISTS (
    SELECT FROM racing.entry AS own
    JOIN racing.race AS r ON r.id = own.race_id AND r.status <> 'cancelled'
      AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at
    WHERE own.athlete_id = reviewer_athlete AND racing.may_take_part(activity.athlete_id, r)), false)
$$;

-- Whether an athlete has judged, as a moderator, an activity in a race's window of somebody who has entered the race or
-- may still enter it. A question judges where it took a verified activity out.
CREATE OR REPLACE FUNCTION racing.has_judged(athlete_id bigint, race racing.race)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM racing.decision AS d
    JOIN racing.activity AS a ON a.id = d.activity_id
      AND race.starts_at <= a.started_at AND a.started_at < race.ends_at
    WHERE d.reviewer_athlete = has_judged.athlete_id AND (d.decision <> 'request_info' OR d.took_verified)
      AND racing.may_take_part(a.athlete_id, race));
END
$$;

-- When the review window of an activity ends: nobody flags it from then on, and nobody disqualifies it where nothing is
-- open. Null while one of its races is not settled, and where there is none. Corrections do not prolong it.
CREATE OR REPLACE FUNCTION racing.review_ends_at(activity racing.activity)
RETURNS timestamptz
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN bool_and(r.status = 'settled')
    THEN max(s.settled_at) + settled.setting_span('racing.review_window') END
  FROM racing.entry AS e
  JOIN racing.race AS r ON r.id = e.race_id AND r.status <> 'cancelled'
    AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at
  LEFT JOIN racing.settlement AS s ON s.race_id = r.id AND s.revision = 1
  WHERE e.athlete_id = activity.athlete_id
$$;

-- The latest final decision on an activity; all null where there is none.
CREATE OR REPLACE FUNCTION racing.final_decision(activity_id bigint)
RETURNS racing.decision
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT d.* FROM racing.decision AS d
  WHERE d.activity_id = final_decision.activity_id AND d.decision <> 'request_info' ORDER BY d.id DESC LIMIT 1
$$;

-- Whether something about an activity is open: a flag, whether or not it counts, or a review.
CREATE OR REPLACE FUNCTION racing.has_open_case(activity racing.activity)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT activity.flag_count + activity.uncounted_flags > 0
    OR EXISTS (SELECT FROM racing.review AS r WHERE r.activity_id = activity.id AND r.state <> 'decided')
$$;

-- Why a decision on an activity is refused, as the DETAIL of the refusal; null where it may be made. Something must be
-- open, a flag or a review; but a verified activity that was never decided may be disqualified until its review window
-- ends. A question about a verified activity needs a flag that counts, or an open review. An administrator's overruling
-- decision stands as long as the content that it was made on.
CREATE OR REPLACE FUNCTION racing.decision_refusal(activity racing.activity, decision text)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE
    WHEN racing.has_open_case(activity)
      AND (last.is_overruling AND last.decided_at >= activity.imported_at) IS NOT TRUE
      AND (decision_refusal.decision = 'request_info' AND activity.status = 'verified' AND activity.flag_count = 0
        AND NOT EXISTS (SELECT FROM racing.review AS r WHERE r.activity_id = activity.id AND r.state <> 'decided'))
        IS NOT TRUE THEN NULL
    WHEN last.id IS NOT NULL THEN jsonb_build_object('rule', 'decided', 'by', last.reviewer,
      'decision', last.decision, 'at', settled.iso(last.decided_at))
    WHEN decision_refusal.decision = 'disqualify' AND activity.status = 'verified' THEN (
      SELECT jsonb_build_object('rule', 'window', 'closedAt', settled.iso(w.ends_at))
      FROM racing.review_ends_at(activity) AS w (ends_at) WHERE settled.clock() >= w.ends_at)
    ELSE jsonb_build_object('rule', 'status', 'status', activity.status) END
  FROM racing.final_decision(activity.id) AS last
$$;

-- Takes the entries that a disqualified activity spoils out of their races: of those not settled at once, of settled
-- ones by the correction for which they are marked. An entry of a void race stays. One that the next correction would
-- bring back stays out by this activity. Yields the races.
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
  ), kept_out AS (
    UPDATE racing.entry AS e SET disqualified_by = activity.id
    WHERE e.race_id = ANY (races) AND e.athlete_id = activity.athlete_id AND e.status = 'disqualified'
      AND EXISTS (SELECT FROM racing.activity AS x WHERE x.id = e.disqualified_by AND x.status <> 'disqualified')
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
-- refund, settle and correct. Locks in the order of all: athletes (so that nobody enters meanwhile), activity, races,
-- and the wallet that an overruled refund is taken from. Source: Racing.docc/Moderation.md, "Decisions".
CREATE OR REPLACE FUNCTION racing.decide(
  activity_id bigint, decision text, reviewer text, note text, reviewer_athlete bigint, is_overruling boolean)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE
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
  PERFORM FROM racing.athlete AS x
    WHERE x.id IN (decide.reviewer_athlete, (SELECT y.athlete_id FROM racing.activity AS y WHERE y.id = decide.activity_id))
    ORDER BY x.id FOR NO KEY UPDATE;
  SELECT x.* INTO a FROM racing.activity AS x WHERE x.id = decide.activity_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  END IF;
  races := ARRAY(
    SELECT r.id FROM racing.race AS r
    WHERE r.id IN (SELECT e.race_id FROM racing.entry AS e WHERE e.athlete_id = a.athlete_id)
      AND r.status <> 'cancelled' AND r.starts_at <= a.started_at AND a.started_at < r.ends_at
      -- Of an entry that it has spoilt the due instant may be earlier now: an override moves it.
      AND (r.due_at > a.imported_at OR r.id IN (
        SELECT e.race_id FROM racing.entry AS e WHERE e.athlete_id = a.athlete_id AND e.disqualified_by = a.id))
    ORDER BY r.id FOR NO KEY UPDATE);
  IF racing.is_own_race(a, decide.reviewer_athlete) THEN
    PERFORM settled.fail('SD403', 'own-race', 'moderators cannot decide on their own activities or races');
  END IF;
  now := settled.clock();
  IF decide.is_overruling THEN
    refusal := racing.overrule_refusal(a, decide.decision);
  ELSE
    refusal := racing.decision_refusal(a, decide.decision);
  END IF;
  IF refusal ->> 'rule' = 'same' THEN
    RETURN jsonb_build_object('activityId', a.id, 'status', a.status, 'decision', decide.decision,
      'affectedRaces', '[]'::jsonb, 'missedRaces', '[]'::jsonb);
  ELSIF refusal IS NOT NULL THEN
    PERFORM settled.fail('SD409', refusal ->> 'rule', CASE refusal ->> 'rule'
      WHEN 'decided' THEN format('%s has already decided: %s', refusal ->> 'by', refusal ->> 'decision')
      WHEN 'window' THEN format('the review window ended at %s', refusal ->> 'closedAt')
      ELSE format('there is nothing to decide: the activity is %s', a.status) END, refusal);
  END IF;

  SELECT r.id INTO review FROM racing.review AS r WHERE r.activity_id = a.id AND r.state <> 'decided';
  IF NOT FOUND THEN
    INSERT INTO racing.review (activity_id, opened_at) VALUES (a.id, now) RETURNING id INTO review;
  END IF;
  INSERT INTO racing.decision (
      review_id, activity_id, decision, reviewer, note, decided_at, is_overruling, reviewer_athlete, took_verified)
    VALUES (review, a.id, decide.decision, decide.reviewer, decide.note, now, decide.is_overruling,
      decide.reviewer_athlete, decide.decision = 'request_info' AND a.status = 'verified');
  UPDATE racing.review AS r
    SET state = CASE WHEN decide.decision = 'request_info' THEN 'info_requested' ELSE 'decided' END
    WHERE r.id = review;

  -- An approval lifts a rejection, a question does not.
  new_status := CASE
    WHEN decide.decision = 'disqualify' THEN 'disqualified'
    WHEN decide.decision = 'request_info' THEN
      CASE a.status WHEN 'rejected' THEN 'rejected' ELSE 'under_review' END
    WHEN a.scored THEN 'verified'
    ELSE 'pending' END;
  IF decide.decision = 'request_info' THEN
    UPDATE racing.activity AS x SET status = new_status WHERE x.id = a.id;
    IF new_status <> a.status THEN
      PERFORM settled.emit('activity.under_review', a.id::text, jsonb_build_object(
        'activityId', a.id, 'athleteId', a.athlete_id, 'flagCount', a.flag_count), now);
      PERFORM racing.check_again(races);
    END IF;
    PERFORM settled.emit('review.info_requested', a.id::text, jsonb_build_object(
      'activityId', a.id, 'reviewer', decide.reviewer, 'note', decide.note), now);
  ELSE
    UPDATE racing.flag AS f SET closed_at = now, closed_content = a.content_hash
      WHERE f.activity_id = a.id AND f.closed_at IS NULL;
    UPDATE racing.activity AS x
      SET status = new_status, flag_count = 0, uncounted_flags = 0,
        reasons = '{}'
      WHERE x.id = a.id;
    PERFORM settled.emit('review.decided', a.id::text, jsonb_build_object(
      'activityId', a.id, 'decision', decide.decision, 'reviewer', decide.reviewer), now);
    IF decide.decision = 'disqualify' THEN
      affected := racing.disqualify_entries(a, races, now);
    ELSE
      affected := racing.reinstate_entries(a, now);
      PERFORM racing.check_again(races);
      affected := ARRAY(
        SELECT r.id FROM racing.race AS r WHERE r.id = ANY (races) AND r.status <> 'settled'
        UNION SELECT unnest(affected)
        UNION SELECT unnest(racing.verified_late(ARRAY[a.id], now)) ORDER BY 1);
      missed := racing.missed_races(a, races);
    END IF;
  END IF;
  RETURN jsonb_build_object('activityId', a.id, 'status', new_status, 'decision', decide.decision,
    'affectedRaces', to_jsonb(affected), 'missedRaces', to_jsonb(missed));
END
$$;

-- The digest of an activity's streams; null where there are none. The kept one outlives the streams.
CREATE OR REPLACE FUNCTION racing.digest_of_streams(activity racing.activity)
RETURNS bytea
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(activity.streams_digest, (
    SELECT sha256(array_send(s.times) || array_send(s.distances))
    FROM racing.activity_stream AS s WHERE s.activity_id = activity.id))
$$;

-- The digest of what was measured of an activity: its type, start, times, distance, speed and streams, not its name,
-- track or places. Deleting the streams does not change it.
CREATE OR REPLACE FUNCTION racing.measured_content(activity racing.activity)
RETURNS bytea
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT sha256(
    convert_to(jsonb_build_array(activity.activity_type, extract(epoch FROM activity.started_at),
      trim_scale(activity.elapsed_time), trim_scale(activity.moving_time), trim_scale(activity.distance),
      trim_scale(activity.max_speed))::text, 'UTF8')
    || coalesce(racing.digest_of_streams(activity), ''))
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

-- Each approval doubles the flags that the same measured content needs for the next review, whoever approves. From then
-- on the digest of the streams is kept.
CREATE OR REPLACE FUNCTION racing.count_approval()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE racing.activity AS a SET approvals = a.approvals + 1, streams_digest = racing.digest_of_streams(a)
    WHERE a.id = new.activity_id
    RETURNING racing.measured_content(a), a.scored INTO new.measured_hash, new.saw_scores;
  RETURN new;
END
$$;

CREATE OR REPLACE TRIGGER approved BEFORE INSERT ON racing.decision
  FOR EACH ROW WHEN (new.decision = 'approve') EXECUTE FUNCTION racing.count_approval();

DROP FUNCTION IF EXISTS racing.review_activity(bigint, text, text, text);
CREATE OR REPLACE FUNCTION racing.review_activity(
  activity_id bigint, decision text, reviewer text, note text, reviewer_athlete bigint DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(activity_id, 'activity-id');
  IF decision IS NULL OR decision NOT IN ('approve', 'disqualify', 'request_info') THEN
    PERFORM settled.fail('SD400', 'decision', 'the decision must be approve, disqualify or request_info');
  END IF;
  PERFORM settled.check_text(reviewer, 'reviewer', min => 1);
  PERFORM settled.check_text(note, 'note');
  RETURN racing.decide(activity_id, decision, reviewer, note, reviewer_athlete, false);
END
$$;
COMMENT ON FUNCTION racing.review_activity(bigint, text, text, text, bigint) IS
$$Records a moderator's decision on an activity. Jobs then refund fees and settle or correct races as
needed.
decision: approve, disqualify or request_info.
reviewer: 1 to 10,000 characters.
note: at most 10,000 characters.
reviewer_athlete: the moderator's athlete; null: none.
Returns activityId, status, decision, affectedRaces and missedRaces. missedRaces: settled races for which an approval
    came too late.
Refuses: SD400 activity-id, decision, isolation, note, reviewer; SD403 own-race; SD404 activity; SD409 decided (DETAIL
    has by, decision and at), status (the activity has no open review or flag), window (the review window has ended;
    DETAIL has closedAt).
Example: SELECT racing.review_activity(activity_id => 1, decision => 'approve', reviewer => 'mod-7',
    note => 'The route is fine')$$;

SELECT settled.declare_callers('racing',
  contract => '{review_activity}',
  daemon => '{has_judged, has_open_case, decision_refusal, final_decision, review_ends_at, review_activity, missed_races}');
