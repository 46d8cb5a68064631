-- Who decides about the provider's hints. This module knows nobody above it: another
-- one registers functions of its own.

-- follows(bigint, bigint) returns boolean: whether a hint about an athlete's activity is followed by a read; null
-- instead of its id: one about activities that are new.
-- revoke(bigint) returns void: ends the connection of an athlete who has withdrawn the grant at the provider. It locks
-- the athlete, and then the connection.
-- Only the owner of this schema registers, and only functions of its own. They are called with the caller's rights.
CREATE OR REPLACE FUNCTION strava.register_hint_taker(follows text, revoke text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  own_follows text := strava.own_function(follows, 'boolean', 'bigint, bigint');
  own_revoke text := strava.own_function(revoke, 'void', 'bigint');
BEGIN
  IF num_nulls(own_follows, own_revoke) > 0 THEN
    RAISE EXCEPTION
      'a hint taker must have two functions that belong to the owner of this schema: follows(bigint, bigint) and revoke(bigint)';
  END IF;
  INSERT INTO strava.hint_taker AS t (follows, revoke) VALUES (own_follows, own_revoke)
  ON CONFLICT ON CONSTRAINT hint_taker_pkey DO UPDATE SET follows = excluded.follows, revoke = excluded.revoke
    WHERE (t.follows, t.revoke) IS DISTINCT FROM (excluded.follows, excluded.revoke);
END
$$;

-- Whether a hint is followed by a read; false where nobody has registered.
CREATE OR REPLACE FUNCTION strava.follows_hint(athlete_id bigint, activity_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(t.follows) FROM strava.hint_taker AS t);
  follows boolean;
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1, $2)', name) INTO follows USING athlete_id, activity_id;
  END IF;
  RETURN coalesce(follows, false);
END
$$;

-- Whether a hint names the end of the grant whose refresh token has this generation, and no reply to it was lost: such
-- a token may be dead for another reason.
CREATE OR REPLACE FUNCTION strava.is_doubted(athlete_id bigint, generation bigint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM strava.connection AS c
    WHERE c.athlete_id = is_doubted.athlete_id AND c.status = 'active' AND c.tokens_given = generation
      AND c.doubted_generation IS NOT NULL
      AND NOT EXISTS (SELECT FROM strava.lost_reply AS l
        WHERE l.athlete_id = c.athlete_id AND l.kind = 'refresh' AND l.number = generation))
$$;

-- Whether the end of the grant that a refresh token of this generation has is confirmed: a hint names it, and the
-- provider has refused the token. is_refused: it does so now.
CREATE OR REPLACE FUNCTION strava.ends_grant(athlete_id bigint, generation bigint, is_refused boolean)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN is_refused THEN strava.is_doubted(athlete_id, generation)
    ELSE EXISTS (SELECT FROM strava.connection AS c
      WHERE c.athlete_id = ends_grant.athlete_id AND c.tokens_given = generation
        AND c.status = 'needs_reauth' AND c.reason = 'grant') END
$$;

-- The athlete has withdrawn the grant at the provider: the connection is revoked as by the athlete, and nothing is kept
-- of its tokens, because they are dead. is_refused: as in strava.ends_grant. False, and nothing is done, where the
-- connection is another one by now: the athlete has signed in again or disconnected, or the tokens have changed. The
-- keeper of accounts locks the athlete first, so that nobody signs in between the check and the end.
DROP FUNCTION IF EXISTS strava.end_grant(bigint, bigint);
CREATE OR REPLACE FUNCTION strava.end_grant(athlete_id bigint, generation bigint, is_refused boolean)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(t.revoke) FROM strava.hint_taker AS t);
BEGIN
  PERFORM strava.note_sex(athlete_id, NULL);
  IF NOT strava.ends_grant(athlete_id, generation, is_refused) THEN
    RETURN false;
  END IF;
  BEGIN
    IF name IS NOT NULL THEN
      EXECUTE format('SELECT %s($1)', name) USING athlete_id;
    END IF;
    PERFORM strava.disconnect(athlete_id);
    IF NOT EXISTS (SELECT FROM strava.connection AS c
      WHERE c.athlete_id = end_grant.athlete_id AND c.tokens_given = generation)
    THEN
      RAISE EXCEPTION 'the tokens have changed' USING ERRCODE = 'SD499';
    END IF;
  EXCEPTION WHEN SQLSTATE 'SD499' THEN
    RETURN false;
  END;
  PERFORM strava.forget_tokens(athlete_id);
  PERFORM settled.emit('strava.revoked', end_grant.athlete_id::text,
    jsonb_build_object('athleteId', end_grant.athlete_id), settled.clock());
  RETURN true;
END
$$;

SELECT settled.declare_callers('strava', daemon => '{follows_hint, is_doubted, ends_grant, end_grant}');
