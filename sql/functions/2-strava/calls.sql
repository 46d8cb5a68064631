-- The outcome of calls to the provider that give no tokens.

-- The provider refuses a code or a refresh token for good. After a lost reply that is the reason: it may have been used
-- up by the call whose reply was lost. Returns the reason that the athlete has to connect again; null where that is not
-- so, because newer tokens are there, or the app has spoken since, or a fresh code is tried once more. 'revoked': a
-- hint had named the end of the grant, and this confirms it.
CREATE OR REPLACE FUNCTION strava.refuse(athlete_id bigint, generation bigint, attempt bigint)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c strava.connection;
  reason text;
BEGIN
  -- Before our own lock, because the end of a grant locks what stands before the connection.
  IF attempt IS NULL AND strava.is_doubted(athlete_id, generation) AND strava.end_grant(athlete_id, generation, true) THEN
    RETURN 'revoked';
  END IF;
  SELECT x.* INTO STRICT c FROM strava.connection AS x WHERE x.athlete_id = refuse.athlete_id FOR NO KEY UPDATE;
  -- The hint came just now: the token is asked for again.
  IF attempt IS NULL AND strava.is_doubted(athlete_id, generation) THEN
    RETURN NULL;
  END IF;
  IF generation <> c.tokens_given
    OR (CASE WHEN attempt IS NULL THEN c.status <> 'active'
      ELSE c.status <> 'connecting' OR c.attempt <> attempt END)
  THEN
    RETURN NULL;
  END IF;
  -- The provider knows a new code on all its machines only some seconds later. A lost reply may have used it up. Of one
  -- whose codes were refused before, a code costs one call.
  IF attempt IS NOT NULL AND c.refused_codes = 0 AND c.refused_attempt IS DISTINCT FROM attempt
    AND settled.clock() < c.changed_at + interval '2 minutes'
    AND NOT EXISTS (SELECT FROM strava.lost_reply AS l
      WHERE l.athlete_id = c.athlete_id AND l.kind = 'code' AND l.number = attempt)
  THEN
    UPDATE strava.connection AS x SET refused_attempt = refuse.attempt,
        next_call_at = settled.clock() + interval '2 seconds' + interval '100 milliseconds' * (c.athlete_id % 31)
      WHERE x.athlete_id = c.athlete_id;
    RETURN NULL;
  END IF;
  UPDATE strava.lost_reply AS l SET is_lost = true
    WHERE l.athlete_id = c.athlete_id AND l.kind = CASE WHEN attempt IS NULL THEN 'refresh' ELSE 'code' END
      AND l.number = coalesce(attempt, generation);
  reason := CASE WHEN FOUND THEN 'lost-reply' WHEN attempt IS NULL THEN 'grant' ELSE 'code' END;
  IF reason = 'code' THEN
    UPDATE strava.connection AS x
      SET refused_codes = least(x.refused_codes + 1, 1000), code_refused_at = settled.clock()
      WHERE x.athlete_id = c.athlete_id;
  END IF;
  PERFORM strava.close_lost(c.athlete_id, attempt);
  PERFORM strava.need_connection(c.athlete_id, attempt, reason);
  RETURN reason;
END
$$;

-- The provider has revoked what it had given to an athlete who has disconnected: nothing is kept. Left where the
-- athlete has connected again, or has newer tokens.
CREATE OR REPLACE FUNCTION strava.note_revoked(athlete_id bigint, generation bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  its_status text;
BEGIN
  SELECT c.status INTO STRICT its_status FROM strava.connection AS c WHERE c.athlete_id = note_revoked.athlete_id
    FOR NO KEY UPDATE;
  IF its_status = 'revoked' AND EXISTS (SELECT FROM strava.secret AS s
    WHERE s.kind = 'refresh' AND s.athlete_id = note_revoked.athlete_id AND s.number = generation)
  THEN
    PERFORM strava.forget_tokens(note_revoked.athlete_id);
  END IF;
END
$$;

-- Takes note of a call that failed. generation and attempt are those of the call, as in strava.keep_tokens. is_peer: it
-- is about the provider, not about the athlete. is_unknown: the provider may have done what was asked. Returns
-- whether the breaker is open: then one call at a time is made.
CREATE OR REPLACE FUNCTION strava.note_failure(
  athlete_id bigint, generation bigint, attempt bigint, class text, is_peer boolean, is_unknown boolean)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz := settled.clock();
  p strava.provider;
BEGIN
  -- The app may have connected or disconnected since the call began: what is lost is of the call.
  IF is_unknown THEN
    INSERT INTO strava.lost_reply (athlete_id, kind, number, cause, lost_at)
      VALUES (note_failure.athlete_id, CASE WHEN attempt IS NULL THEN 'refresh' ELSE 'code' END,
        coalesce(attempt, generation), 'wire', now)
    ON CONFLICT ON CONSTRAINT lost_reply_pkey DO NOTHING;
  END IF;
  INSERT INTO strava.call_error AS e (class, count, last_at) VALUES (note_failure.class, 1, now)
  ON CONFLICT ON CONSTRAINT call_error_pkey DO UPDATE SET count = e.count + 1, last_at = excluded.last_at;
  UPDATE strava.provider AS x SET
      failures_in_row = x.failures_in_row + is_peer::integer,
      open_since = CASE WHEN strava.opens(note_failure.class, x.failures_in_row + is_peer::integer)
        THEN coalesce(x.open_since, now) ELSE x.open_since END,
      open_class = CASE WHEN strava.opens(note_failure.class, x.failures_in_row + is_peer::integer)
        THEN note_failure.class ELSE x.open_class END
    RETURNING * INTO STRICT p;
  RETURN p.open_since IS NOT NULL;
END
$$;

-- Whether a failure opens the breaker: the fifth in a row, or one that means that every call fails alike.
CREATE OR REPLACE FUNCTION strava.opens(class text, failures_in_row bigint)
RETURNS boolean
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT class = 'client' OR failures_in_row >= 5
$$;

-- The provider answers: the breaker closes. Returns the class of failures that had opened it; null where it was closed.
CREATE OR REPLACE FUNCTION strava.note_answer()
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  former text;
BEGIN
  SELECT p.open_class INTO former FROM strava.provider AS p WHERE p.failures_in_row > 0 OR p.open_since IS NOT NULL
    FOR UPDATE;
  IF FOUND THEN
    UPDATE strava.provider SET failures_in_row = 0, open_since = NULL, open_class = NULL;
  END IF;
  RETURN former;
END
$$;

-- Forgets lost replies that can cost nothing any more: those of refresh tokens, and of codes before this attempt,
-- by which no connection has been lost.
CREATE OR REPLACE FUNCTION strava.close_lost(athlete_id bigint, attempt bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM strava.lost_reply AS l
    WHERE l.athlete_id = close_lost.athlete_id AND NOT l.is_lost AND (l.kind = 'refresh' OR l.number < attempt)
$$;

-- Takes note that nobody knows what became of the calls with the codes or tokens that these athletes have at present.
CREATE OR REPLACE FUNCTION strava.note_lost(athletes bigint[], cause text)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO strava.lost_reply (athlete_id, kind, number, cause, lost_at)
    SELECT c.athlete_id, s.kind, s.number, note_lost.cause, settled.clock()
    FROM strava.connection AS c
    JOIN strava.secret AS s ON s.athlete_id = c.athlete_id
      AND s.kind = CASE c.status WHEN 'connecting' THEN 'code' WHEN 'active' THEN 'refresh' END
    WHERE c.athlete_id = ANY (athletes)
  ON CONFLICT ON CONSTRAINT lost_reply_pkey DO NOTHING
$$;

-- How many calls a window allows: the provider's figure for the current one, or the setting.
CREATE OR REPLACE FUNCTION strava.allowed(seconds bigint, setting text)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce((SELECT w.told_limit FROM settled.call_window AS w
      WHERE w.budget = 'strava' AND w.seconds = allowed.seconds
        AND w.started_at + w.seconds * interval '1 second' > settled.clock()),
    settled.setting(setting)::bigint)
$$;

-- How many calls the connections need, and are allowed, on average: each active one is refreshed 4 times a day.
CREATE OR REPLACE FUNCTION strava.demand(OUT active bigint, OUT needed_day bigint, OUT allowed_day bigint)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT n.active, 4 * n.active,
    least(strava.allowed(86400, 'strava.limit_day'), 96 * strava.allowed(900, 'strava.limit_15min'))
  FROM (SELECT count(*) AS active FROM strava.connection AS c WHERE c.status = 'active') AS n
$$;

SELECT settled.declare_callers('strava',
  daemon => '{refuse, note_revoked, note_failure, opens, note_answer, note_lost, close_lost, allowed, demand}');
