-- Connecting and disconnecting, for the functions that apps call; the caller has locked the athlete.

-- How long an athlete waits behind a refused code: a minute, twice as long after each further one, six hours at most.
CREATE OR REPLACE FUNCTION strava.code_pause(refused_codes integer)
RETURNS interval
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT least(interval '6 hours', interval '1 minute' * 2 ^ least(greatest(refused_codes, 1) - 1, 9))
$$;

-- Keeps the code until the daemon seals it, exchanges it and erases it. A new code replaces an older
-- one. An athlete whose connection changed within the last minute waits for its end, and one whose codes were refused
-- longer each time: each code costs a call, and all athletes share the calls. SD429 `quota`: the wait exceeds five
-- minutes, and nothing changes.
CREATE OR REPLACE FUNCTION strava.connect(athlete_id bigint, code text, scope text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz;
  this_attempt bigint;
  former strava.connection;
  first_at timestamptz;
BEGIN
  SELECT c.* INTO former FROM strava.connection AS c WHERE c.athlete_id = connect.athlete_id FOR NO KEY UPDATE;
  now := settled.clock();
  -- An instant ahead of the clock is from a clock that was wrong.
  first_at := greatest(now,
    CASE WHEN former.changed_at BETWEEN now - interval '1 minute' AND now THEN former.changed_at + interval '1 minute' END,
    CASE WHEN former.code_refused_at <= now THEN former.code_refused_at + strava.code_pause(former.refused_codes) END);
  IF first_at > now + interval '5 minutes' THEN
    PERFORM settled.fail('SD429', 'quota',
      format('the provider has rejected %s consecutive codes from this athlete', former.refused_codes),
      jsonb_build_object('limit', former.refused_codes, 'retryAfter', ceil(extract(epoch FROM first_at - now))::integer));
  END IF;
  -- The daemon calls as soon as it has sealed the code.
  INSERT INTO strava.connection AS c (athlete_id, status, missing_scopes, next_call_at, changed_at)
    VALUES (connect.athlete_id, 'connecting', strava.missing_scopes(scope), now, now)
  ON CONFLICT ON CONSTRAINT connection_pkey DO UPDATE SET
    status = excluded.status,
    reason = NULL,
    missing_scopes = excluded.missing_scopes,
    attempt = c.attempt + 1,
    next_call_at = first_at,
    doubted_generation = NULL,
    changed_at = excluded.changed_at
  RETURNING c.attempt INTO this_attempt;
  INSERT INTO strava.secret AS s (kind, athlete_id, number, secret, written_at)
    VALUES ('code', connect.athlete_id, this_attempt, convert_to(code, 'UTF8'), now)
  ON CONFLICT ON CONSTRAINT secret_pkey DO UPDATE SET
    number = excluded.number,
    key_id = NULL,
    secret = excluded.secret,
    written_at = excluded.written_at;
END
$$;

-- Revoked at once; the daemon revokes at the provider and erases the tokens. A second time changes nothing. False
-- where the athlete has never connected.
CREATE OR REPLACE FUNCTION strava.disconnect(athlete_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c strava.connection;
  now timestamptz;
BEGIN
  SELECT x.* INTO c FROM strava.connection AS x WHERE x.athlete_id = disconnect.athlete_id FOR NO KEY UPDATE;
  IF c.athlete_id IS NULL THEN
    RETURN false;
  ELSIF c.status = 'revoked' THEN
    RETURN true;
  END IF;
  now := settled.clock();
  DELETE FROM strava.secret AS s WHERE s.kind = 'code' AND s.athlete_id = c.athlete_id;
  PERFORM strava.keep_access(c.athlete_id, NULL);
  PERFORM strava.drop_reads(c.athlete_id);
  UPDATE strava.connection AS x SET
      status = 'revoked',
      reason = NULL,
      attempt = x.attempt + 1,
      expires_at = NULL,
      doubted_generation = NULL,
      next_call_at = CASE WHEN EXISTS (
        SELECT FROM strava.secret AS s WHERE s.kind = 'refresh' AND s.athlete_id = c.athlete_id) THEN now END,
      changed_at = now
    WHERE x.athlete_id = c.athlete_id;
  RETURN true;
END
$$;

-- Takes note that an athlete has entered a race: meanwhile their tokens come first.
CREATE OR REPLACE FUNCTION strava.enter_race(athlete_id bigint, starts_at timestamptz, ends_at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  is_known boolean;
BEGIN
  -- Locked, so that a refresh that takes ended races off sees this one, or comes before it.
  SELECT c.is_in_races INTO is_known FROM strava.connection AS c WHERE c.athlete_id = enter_race.athlete_id
    FOR NO KEY UPDATE;
  INSERT INTO strava.race_period (athlete_id, starts_at, ends_at)
    VALUES (enter_race.athlete_id, enter_race.starts_at, enter_race.ends_at)
  ON CONFLICT DO NOTHING;
  IF NOT is_known THEN
    UPDATE strava.connection AS c SET is_in_races = true WHERE c.athlete_id = enter_race.athlete_id;
  END IF;
END
$$;

SELECT settled.declare_callers('strava', daemon => '{disconnect}');
