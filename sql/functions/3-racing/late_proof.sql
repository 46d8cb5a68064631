-- What is proved late, and whether an account that proved an activity is still its athlete's. Source:
-- Racing.docc/Claims.md, "Late proof" and "Whose id it is".

-- Whether the account at the provider that proved an activity is its athlete's: the present one, or one with which the
-- athlete has entered a race.
CREATE OR REPLACE FUNCTION racing.is_own_proof(activity racing.activity)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT activity.proved_by IS NULL
    OR EXISTS (SELECT FROM strava.connection AS c
      WHERE c.provider_athlete_id = activity.proved_by AND c.athlete_id = activity.athlete_id)
    OR EXISTS (SELECT FROM racing.entered_account AS e
      WHERE e.provider_athlete_id = activity.proved_by AND e.athlete_id = activity.athlete_id)
$$;

-- Whether an activity may count in an entry by the account that proved it: that of the entry. Where none was kept with
-- the entry, each account of the athlete's. The view racing.qualifying_activity has the same rule, because its readers
-- call no function.
CREATE OR REPLACE FUNCTION racing.proves_entry(activity racing.activity, entry racing.entry)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT settled.setting('racing.proof') <> 'on' OR coalesce(activity.proved_by = entry.account, racing.is_own_proof(activity))
$$;

-- Whether what the provider shows counts from the instant of an athlete's claim: the claim is open, and it was made
-- under the account that the athlete is connected with.
CREATE OR REPLACE FUNCTION racing.proves_claim(claim racing.claim)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT claim.id IS NOT NULL AND claim.rejected_at IS NULL AND claim.account IS NOT DISTINCT FROM (
    SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = claim.athlete_id)
$$;

-- The settled races that an activity is proved too late for: it was claimed in time, and a correction by it would come
-- within an hour before prizes of the first settlement can leave, or later, or after the hold of reviews. The hour is
-- for its validation, and for the correction.
CREATE OR REPLACE FUNCTION racing.races_closed_to(activity racing.activity, now timestamptz)
RETURNS bigint[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(r.id ORDER BY r.id), '{}')
  FROM racing.entry AS e
  JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'settled'
    AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at AND activity.imported_at < r.due_at
  JOIN racing.settlement AS s ON s.race_id = r.id AND s.revision = 1
  WHERE e.athlete_id = activity.athlete_id AND s.settled_at < races_closed_to.now
    AND races_closed_to.now >=
      least(r.due_at + r.review_hold, s.settled_at + settled.setting_span('racing.prize_rest') - interval '1 hour')
$$;

-- Whether a claim was proved after the due instant of a race that it may count in, and the provider shows another type,
-- start, time, distance or speed than was claimed. What the claim did not give differs as well.
CREATE OR REPLACE FUNCTION racing.changed_late(activity racing.activity, claim racing.claim, now timestamptz)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT (claim.content ->> 'activityType', claim.started_at, claim.content -> 'movingTime',
      claim.content -> 'distance', nullif(claim.content -> 'maxSpeed', 'null'))
    IS DISTINCT FROM (activity.activity_type, activity.started_at, to_jsonb(activity.moving_time),
      to_jsonb(activity.distance), to_jsonb(activity.max_speed))
    AND EXISTS (
      SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id AND r.status <> 'cancelled'
        AND r.starts_at <= activity.started_at AND activity.started_at < r.ends_at
      WHERE e.athlete_id = activity.athlete_id AND claim.claimed_at < r.due_at
        AND (r.due_at <= changed_late.now OR r.status = 'settled'))
$$;

SELECT settled.declare_callers('racing', daemon => '{is_own_proof, proves_entry}');
