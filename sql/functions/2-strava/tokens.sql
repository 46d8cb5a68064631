CREATE OR REPLACE FUNCTION strava.access_token(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  SELECT jsonb_build_object(
      'accessToken', a.token,
      'expiresAt', CASE WHEN a.token IS NOT NULL THEN settled.iso(c.expires_at) END,
      'status', c.status,
      'stravaAthleteId', c.provider_athlete_id,
      'missingScopes', to_jsonb(c.missing_scopes))
    INTO shown FROM strava.connection AS c
    LEFT JOIN strava.access AS a
      ON a.athlete_id = c.athlete_id AND c.status = 'active' AND c.expires_at > settled.clock()
    WHERE c.athlete_id = access_token.athlete_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'connection', 'this athlete has never connected');
  END IF;
  RETURN shown;
END
$$;
COMMENT ON FUNCTION strava.access_token(bigint) IS
$$Retrieves an athlete's connection and its access token.
athlete_id: the athlete's id.
Returns accessToken, expiresAt, status, stravaAthleteId and missingScopes. accessToken and expiresAt are null unless the
    connection is active and the token has not expired. status: connecting, active, needs_reauth or revoked.
Refuses: SD400 athlete-id; SD404 connection (the athlete has never connected).
Example: SELECT strava.access_token(athlete_id => 1)$$;

-- Writes an athlete's access token, or takes it away where it is null: nobody but the owner
-- of these functions reads the table.
CREATE OR REPLACE FUNCTION strava.keep_access(athlete_id bigint, token text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF token IS NULL THEN
    DELETE FROM strava.access AS a WHERE a.athlete_id = keep_access.athlete_id;
  ELSE
    INSERT INTO strava.access AS a (athlete_id, token) VALUES (keep_access.athlete_id, keep_access.token)
    ON CONFLICT ON CONSTRAINT access_pkey DO UPDATE SET token = excluded.token;
  END IF;
END
$$;

-- Keeps the tokens that the provider gave for a code or for a refresh token. Returns what became of them:
--   stale       newer ones are there; nothing was written
--   revoked     the athlete has disconnected meanwhile: they are to be revoked
--   superseded  another code waits, so that the connection is not active yet
--   taken       the account at the provider is another of our athletes'; holder: who has it now, if anybody
--   active      the connection has them
--
-- generation: how often the provider had given tokens when it was called. attempt: that of a code; null for a refresh.
-- A reply that is written late, or once more from a file, finds another generation and is left. What was given for the
-- code that waits is the newest, even if an older reply has written since the call began.
--
-- sex: as the provider knows it, M or F; null where it does not, and in calls of a former release.
DROP FUNCTION IF EXISTS strava.keep_tokens(
  bigint, bigint, bigint, bigint, text, bytea, text, timestamptz, timestamptz);
CREATE OR REPLACE FUNCTION strava.keep_tokens(
  athlete_id bigint, generation bigint, attempt bigint, provider_athlete_id bigint, key_id text, refresh_token bytea,
  access_token text, expires_at timestamptz, next_call_at timestamptz, sex text DEFAULT NULL,
  OUT outcome text, OUT holder bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c strava.connection;
  now timestamptz;
  is_taken boolean;
BEGIN
  -- 1. Only the successor of the tokens that are there is written. First what the keeper of accounts locks: whoever
  -- takes a listing has locked it too, and sees one account throughout.
  IF attempt IS NOT NULL OR sex IS NOT NULL THEN
    PERFORM strava.note_sex(athlete_id, NULL);
  END IF;
  SELECT x.* INTO STRICT c FROM strava.connection AS x WHERE x.athlete_id = keep_tokens.athlete_id FOR NO KEY UPDATE;
  now := settled.clock();
  IF c.tokens_given <> generation AND NOT EXISTS (
    SELECT FROM strava.secret AS s WHERE s.kind = 'code' AND s.athlete_id = c.athlete_id AND s.number = attempt)
  THEN
    outcome := 'stale';
    RETURN;
  END IF;
  -- 2. An account at the provider has one athlete here. One who has disconnected leaves it, without another call,
  -- unless it is kept.
  IF provider_athlete_id IS NOT NULL THEN
    SELECT x.athlete_id INTO holder FROM strava.connection AS x
      WHERE x.provider_athlete_id = keep_tokens.provider_athlete_id AND x.athlete_id <> c.athlete_id
      FOR NO KEY UPDATE;
    is_taken := EXISTS (SELECT FROM strava.connection AS x WHERE x.athlete_id = holder AND x.status <> 'revoked');
    IF NOT is_taken THEN
      is_taken := NOT strava.may_have(c.athlete_id, keep_tokens.provider_athlete_id);
    END IF;
    IF is_taken THEN
      PERFORM strava.need_connection(c.athlete_id, attempt, 'taken');
      outcome := 'taken';
      RETURN;
    ELSIF holder IS NOT NULL THEN
      PERFORM strava.forget_tokens(holder);
      holder := NULL;
    END IF;
  END IF;
  -- 3. The tokens.
  INSERT INTO strava.secret AS s (kind, athlete_id, number, key_id, secret, written_at)
    VALUES ('refresh', c.athlete_id, c.tokens_given + 1, keep_tokens.key_id, refresh_token, now)
  ON CONFLICT ON CONSTRAINT secret_pkey DO UPDATE SET
    number = excluded.number, key_id = excluded.key_id, secret = excluded.secret, written_at = excluded.written_at;
  -- The losses of this call cost nothing now, nor does what is open of older tokens and codes.
  DELETE FROM strava.lost_reply AS l WHERE l.athlete_id = c.athlete_id
    AND CASE l.kind WHEN 'refresh' THEN attempt IS NULL AND l.number = generation ELSE l.number = attempt END;
  PERFORM strava.close_lost(c.athlete_id, c.attempt);
  IF attempt IS NOT NULL THEN
    DELETE FROM strava.secret AS s WHERE s.kind = 'code' AND s.athlete_id = c.athlete_id AND s.number = attempt;
  END IF;
  UPDATE strava.connection AS x SET
      tokens_given = c.tokens_given + 1,
      refused_codes = CASE WHEN keep_tokens.attempt IS NULL THEN x.refused_codes ELSE 0 END,
      code_refused_at = CASE WHEN keep_tokens.attempt IS NULL THEN x.code_refused_at END,
      provider_athlete_id = coalesce(keep_tokens.provider_athlete_id, x.provider_athlete_id)
    WHERE x.athlete_id = c.athlete_id;
  -- 4. The connection, unless the app has spoken since.
  IF c.status = 'revoked' THEN
    UPDATE strava.connection AS x SET next_call_at = now WHERE x.athlete_id = c.athlete_id;
    outcome := 'revoked';
    RETURN;
  ELSIF c.status = 'connecting' AND c.attempt IS DISTINCT FROM attempt THEN
    outcome := 'superseded';
    RETURN;
  END IF;
  DELETE FROM strava.race_period AS p WHERE p.athlete_id = c.athlete_id AND p.ends_at <= now;
  UPDATE strava.connection AS x SET
      status = 'active',
      reason = NULL,
      expires_at = keep_tokens.expires_at,
      -- A reply to a call from before the doubt leaves it.
      next_call_at = CASE WHEN keep_tokens.attempt IS NULL AND x.doubted_generation > generation
        THEN least(keep_tokens.next_call_at, now + interval '15 minutes') ELSE keep_tokens.next_call_at END,
      doubted_generation = CASE WHEN keep_tokens.attempt IS NULL AND x.doubted_generation > generation
        THEN x.doubted_generation END,
      refreshed_at = now,
      is_in_races = EXISTS (SELECT FROM strava.race_period AS p WHERE p.athlete_id = c.athlete_id),
      changed_at = CASE x.status WHEN 'active' THEN x.changed_at ELSE now END
    WHERE x.athlete_id = c.athlete_id;
  PERFORM strava.keep_access(c.athlete_id, access_token);
  PERFORM strava.resume_reads(c.athlete_id);
  IF sex IS NOT NULL THEN
    PERFORM strava.note_sex(c.athlete_id, sex);
  END IF;
  IF c.status <> 'active' THEN
    PERFORM settled.emit('strava.connected', c.athlete_id::text,
      jsonb_build_object('athleteId', c.athlete_id, 'missingScopes', to_jsonb(c.missing_scopes)), now);
  END IF;
  outcome := 'active';
END
$$;

-- Erases what is kept of an athlete who has disconnected, once the provider knows.
CREATE OR REPLACE FUNCTION strava.forget_tokens(athlete_id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  DELETE FROM strava.secret AS s WHERE s.athlete_id = forget_tokens.athlete_id;
  PERFORM strava.keep_access(athlete_id, NULL);
  PERFORM strava.close_lost(athlete_id, (SELECT c.attempt FROM strava.connection AS c
    WHERE c.athlete_id = forget_tokens.athlete_id));
  UPDATE strava.connection AS c SET provider_athlete_id = NULL, expires_at = NULL, next_call_at = NULL
    WHERE c.athlete_id = forget_tokens.athlete_id;
END
$$;

-- The athlete has to connect again: stores why, and writes an event. A code that belongs to this attempt is erased.
CREATE OR REPLACE FUNCTION strava.need_connection(athlete_id bigint, attempt bigint, reason text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz := settled.clock();
BEGIN
  DELETE FROM strava.secret AS s
    WHERE s.kind = 'code' AND s.athlete_id = need_connection.athlete_id AND s.number = need_connection.attempt;
  UPDATE strava.connection AS c SET status = 'needs_reauth', reason = need_connection.reason, next_call_at = NULL,
      changed_at = now
    WHERE c.athlete_id = need_connection.athlete_id AND c.status IN ('connecting', 'active')
      AND (need_connection.attempt IS NULL OR c.attempt = need_connection.attempt);
  IF FOUND THEN
    PERFORM strava.keep_access(athlete_id, NULL);
    PERFORM strava.hold_reads(athlete_id);
    PERFORM settled.emit('strava.needs_reauth', need_connection.athlete_id::text,
      jsonb_build_object('athleteId', need_connection.athlete_id, 'reason', need_connection.reason), now);
  END IF;
END
$$;

SELECT settled.declare_callers('strava',
  contract => '{access_token}',
  daemon => '{access_token, keep_access, keep_tokens, forget_tokens, need_connection}');
