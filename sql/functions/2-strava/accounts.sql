-- The keeper of accounts at the provider. This module knows nobody above it: another
-- one registers functions of its own.

-- claim(bigint, bigint) returns boolean: whether an athlete may have an account at the provider.
-- keep_gender(bigint, text) returns void: takes the sex that the provider knows, M or F; null: only locks what it would
-- change, before the caller locks a connection.
-- Only the owner of this schema registers, and only functions of its own. They are called with the caller's rights.
CREATE OR REPLACE FUNCTION strava.register_account_keeper(claim text, keep_gender text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  own_claim text := strava.own_function(claim, 'boolean', 'bigint, bigint');
  own_keep_gender text := strava.own_function(keep_gender, 'void', 'bigint, text');
BEGIN
  IF num_nulls(own_claim, own_keep_gender) > 0 THEN
    RAISE EXCEPTION
      'an account keeper must have two functions that belong to the owner of this schema: claim(bigint, bigint) and keep_gender(bigint, text)';
  END IF;
  INSERT INTO strava.account_keeper AS k (claim, keep_gender) VALUES (own_claim, own_keep_gender)
  ON CONFLICT ON CONSTRAINT account_keeper_pkey DO UPDATE SET claim = excluded.claim, keep_gender = excluded.keep_gender
    WHERE (k.claim, k.keep_gender) IS DISTINCT FROM (excluded.claim, excluded.keep_gender);
END
$$;

-- Whether an athlete may have an account at the provider; true where nobody has registered.
CREATE OR REPLACE FUNCTION strava.may_have(athlete_id bigint, provider_athlete_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(k.claim) FROM strava.account_keeper AS k);
  may boolean;
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1, $2)', name) INTO may USING athlete_id, provider_athlete_id;
  END IF;
  RETURN may IS NOT FALSE;
END
$$;

-- Hands the sex that the provider knows to whoever keeps it; null only locks.
CREATE OR REPLACE FUNCTION strava.note_sex(athlete_id bigint, sex text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(k.keep_gender) FROM strava.account_keeper AS k);
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1, $2)', name) USING athlete_id, sex;
  END IF;
END
$$;

-- Whether a code of the athlete waits to be exchanged.
CREATE OR REPLACE FUNCTION strava.awaits_exchange(athlete_id bigint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM strava.connection AS c
    JOIN strava.secret AS s ON s.kind = 'code' AND s.athlete_id = c.athlete_id AND s.number = c.attempt
    WHERE c.athlete_id = awaits_exchange.athlete_id AND c.status = 'connecting')
$$;

SELECT settled.declare_callers('strava', daemon => '{may_have, note_sex}');
