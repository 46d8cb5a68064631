-- Activities that the provider returns: who owns the id, and whether an activity is created.
-- Source: Racing.docc/Claims.md.

-- Whether an activity counted in a settlement of one of its athlete's races.
CREATE OR REPLACE FUNCTION racing.has_counted(activity racing.activity)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM racing.entry AS e
    JOIN racing.race AS r ON r.id = e.race_id AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at
    JOIN racing.settlement AS s ON s.race_id = r.id
    WHERE e.athlete_id = activity.athlete_id AND activity.id = ANY (s.counted_activities))
$$;

-- Whether proof can assign an activity's id to another athlete. The activity must never have counted. It must also be
-- unproved, or proved by an account that no longer belongs to its athlete. If the athlete was erased or has
-- disconnected, the id is free even if the activity is proved, unless the athlete entered a race that covers the
-- activity.
CREATE OR REPLACE FUNCTION racing.may_displace(activity racing.activity)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT NOT racing.has_counted(activity) AND (NOT activity.is_proved
    OR NOT racing.is_own_proof(activity)
      AND EXISTS (SELECT FROM racing.athlete AS x WHERE x.id = activity.athlete_id AND x.erased_at IS NULL)
    OR NOT EXISTS (SELECT FROM strava.connection AS c WHERE c.athlete_id = activity.athlete_id AND c.status <> 'revoked')
      AND NOT EXISTS (
        SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id AND r.status <> 'cancelled'
          AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at
        WHERE e.athlete_id = activity.athlete_id))
$$;

-- Removes the id from an activity, which then never counts again. A disqualified activity stays disqualified and still
-- disqualifies entries. The caller has locked the activity and its races.
CREATE OR REPLACE FUNCTION racing.displace(activity racing.activity, now timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE racing.flag AS f SET closed_at = displace.now, closed_content = activity.content_hash
    WHERE f.activity_id = activity.id AND f.closed_at IS NULL;
  UPDATE racing.review AS r SET state = 'decided' WHERE r.activity_id = activity.id AND r.state <> 'decided';
  UPDATE racing.activity AS a SET strava_id = NULL, displaced_strava_id = a.strava_id, is_proved = false,
      proved_by = NULL, flag_count = 0, uncounted_flags = 0,
      status = CASE a.status WHEN 'disqualified' THEN a.status ELSE 'rejected' END,
      reasons = CASE a.status WHEN 'disqualified' THEN a.reasons ELSE '{provider}' END
    WHERE a.id = activity.id;
  SELECT settled.inputs_changed('activity-validation', activity.id::text);
  SELECT settled.inputs_changed('flag-escalation', activity.id::text);
$$;

-- The deadline for reading an activity's streams. Streams are needed only for canoeing and kayaking activities that can
-- affect a one-kilometre or five-kilometre race. claim: the open claim, which can still count in a race past its due
-- instant, or was held when the race settled. Null if the streams are not needed.
CREATE OR REPLACE FUNCTION racing.streams_until(athlete_id bigint, summary jsonb, claim racing.claim)
RETURNS timestamptz
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT min(CASE WHEN r.due_at - interval '5 minutes' > t.now THEN r.due_at - interval '5 minutes'
    ELSE t.now + interval '15 minutes' END)
  FROM settled.clock() AS t (now)
  CROSS JOIN racing.start_of(summary) AS s (started_at)
  JOIN racing.entry AS e ON e.athlete_id = streams_until.athlete_id AND e.status NOT IN ('disqualified', 'refunded')
  JOIN racing.race AS r ON r.id = e.race_id AND r.status <> 'cancelled'
    AND r.starts_at <= s.started_at AND s.started_at < r.ends_at
    AND (summary -> 'distance')::numeric >= CASE r.type WHEN 'fastest_1km' THEN 1000 WHEN 'fastest_5km' THEN 5000 END
  WHERE summary ->> 'activityType' IN ('Canoeing', 'Kayaking')
    AND (r.due_at - interval '5 minutes' > t.now
      OR claim.id IS NOT NULL AND claim.claimed_at < r.due_at AND (r.status <> 'settled' OR EXISTS (
        SELECT FROM racing.settlement AS x WHERE x.race_id = r.id AND claim.id = ANY (x.held_activities))))
$$;

-- The deadline for an activity that was not claimed in time, for races over these distances that are past their due
-- instant and waiting for the athlete's listing.
CREATE OR REPLACE FUNCTION racing.late_streams_until(athlete_id bigint, summary jsonb)
RETURNS timestamptz
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT min(r.due_at + r.review_hold)
  FROM racing.start_of(late_streams_until.summary) AS s (started_at)
  JOIN racing.entry AS e ON e.athlete_id = late_streams_until.athlete_id AND e.status = 'entered'
  JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'ended' AND r.due_at <= settled.clock()
    AND r.starts_at <= s.started_at AND s.started_at < r.ends_at
    AND (late_streams_until.summary -> 'distance')::numeric
      >= CASE r.type WHEN 'fastest_1km' THEN 1000 WHEN 'fastest_5km' THEN 5000 END
  JOIN strava.read_request AS q ON q.athlete_id = e.athlete_id AND q.kind = 'listing' AND q.class = 0
    AND q.until_at = r.due_at + r.review_hold
  WHERE late_streams_until.summary ->> 'activityType' IN ('Canoeing', 'Kayaking')
$$;

-- The verdict on a summary that the provider returned for the athlete: `keep` imports it immediately, `streams` imports
-- it after its streams are read or at a deadline, and `pass` ignores it. An activity that ends in the future is left
-- for a later read. Reads for results (class 0) also request streams of unclaimed activities; other reads leave them to
-- that listing. A summary that no import would accept is then refused with a warning.
CREATE OR REPLACE FUNCTION racing.judge_summary(
  athlete_id bigint, summary jsonb, class integer, OUT verdict text, OUT streams_until timestamptz)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_id constant bigint := trunc((summary -> 'stravaId')::numeric)::bigint;
  proves constant boolean := settled.setting('racing.proof') = 'on';
  old racing.activity;
  claim racing.claim;
  may_take boolean;
BEGIN
  SELECT a.* INTO old FROM racing.activity AS a WHERE a.strava_id = shown_id;
  SELECT c.* INTO claim FROM racing.claim AS c
    WHERE c.athlete_id = judge_summary.athlete_id AND c.strava_id = shown_id AND c.rejected_at IS NULL;
  may_take := old.id IS NULL OR proves AND racing.may_displace(old);
  verdict := 'pass';
  IF racing.is_listed_ahead(summary, settled.clock()) THEN
    RETURN;
  ELSIF old.athlete_id = judge_summary.athlete_id THEN
    IF NOT old.is_proved OR claim.id IS NOT NULL THEN
      verdict := 'keep';
    END IF;
  ELSIF claim.id IS NULL AND (coalesce(summary ->> 'activityType', '') NOT IN ('Canoeing', 'Kayaking')
    OR NOT may_take AND (old.disputed_at IS NOT NULL OR NOT proves))
  THEN
    RETURN;
  ELSIF racing.is_importable(summary) THEN
    streams_until := CASE WHEN may_take THEN coalesce(racing.late_streams_until(athlete_id, summary),
      racing.streams_until(athlete_id, summary, claim)) END;
    verdict := CASE WHEN streams_until IS NULL THEN 'keep'
      WHEN claim.id IS NULL AND class > 0 THEN 'pass' ELSE 'streams' END;
  ELSIF claim.id IS NOT NULL THEN
    verdict := 'keep';
  ELSIF class = 0 THEN
    verdict := 'streams';
    streams_until := settled.clock() + interval '15 minutes';
  END IF;
END
$$;

-- An activity without streams, with the keys of an import.
CREATE OR REPLACE FUNCTION racing.summary_of(activity racing.activity)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object('stravaId', activity.strava_id, 'name', activity.name,
    'activityType', activity.activity_type, 'startDate', settled.iso(activity.started_at),
    'elapsedTime', activity.elapsed_time, 'movingTime', activity.moving_time, 'distance', activity.distance,
    'maxSpeed', activity.max_speed, 'polyline', activity.polyline, 'visibility', activity.visibility,
    'flagged', activity.provider_flagged,
    'startLocation', CASE WHEN activity.start_latitude IS NOT NULL THEN
      jsonb_build_object('latitude', activity.start_latitude, 'longitude', activity.start_longitude) END,
    'endLocation', CASE WHEN activity.end_latitude IS NOT NULL THEN
      jsonb_build_object('latitude', activity.end_latitude, 'longitude', activity.end_longitude) END)
$$;

-- Requests the missing streams of proved activities for a race that their athlete has just entered: at most 25
-- activities, those with the highest speed.
CREATE OR REPLACE FUNCTION racing.ask_lacking_streams(athlete_id bigint, race racing.race)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF race.type NOT IN ('fastest_1km', 'fastest_5km') OR settled.setting('racing.proof') <> 'on' THEN
    RETURN;
  END IF;
  PERFORM CASE WHEN a.forgotten_at IS NULL
    THEN strava.ask_streams(a.athlete_id, a.strava_id, racing.summary_of(a), race.due_at - interval '5 minutes', 1)
    -- Erased content is read again first.
    ELSE strava.ask_activity(a.athlete_id, a.strava_id, race.due_at - interval '5 minutes', 1) END
  FROM racing.activity AS a
  WHERE a.athlete_id = ask_lacking_streams.athlete_id
    AND a.started_at >= race.starts_at AND a.started_at < race.ends_at AND a.is_proved AND a.strava_id IS NOT NULL
    AND a.deleted_at IS NULL
    AND a.activity_type IN ('Canoeing', 'Kayaking') AND a.status NOT IN ('under_review', 'disqualified')
    AND a.distance >= CASE race.type WHEN 'fastest_1km' THEN 1000 WHEN 'fastest_5km' THEN 5000 END
    AND NOT EXISTS (SELECT FROM racing.activity_stream AS s WHERE s.activity_id = a.id)
  ORDER BY a.top_speed_mm_per_s DESC NULLS LAST, a.id LIMIT 25;
END
$$;

-- A summary with a known visibility. Any other visibility becomes only_me.
CREATE OR REPLACE FUNCTION racing.known_visibility(summary jsonb)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT summary || jsonb_build_object('visibility', CASE WHEN summary ->> 'visibility' IN ('everyone', 'followers_only')
    THEN summary ->> 'visibility' ELSE 'only_me' END)
$$;

-- Whether an import would accept the summary.
CREATE OR REPLACE FUNCTION racing.is_importable(activity jsonb)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM racing.activity_content(activity);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  IF SQLSTATE ~ '^(SD4|22|23|54)' THEN
    RETURN false;
  END IF;
  RAISE;
END
$$;
