-- Accounts: their logins and their identities in the systems. Times are by the wall clock, independent of the business
-- clock.

-- An address as stored: in lower case, without surrounding blanks.
CREATE OR REPLACE FUNCTION accounts.check_email(email text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kept text := lower(btrim(email, ' ') COLLATE "C");
BEGIN
  IF kept IS NULL OR octet_length(kept) > 254 OR kept
    !~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$'
  THEN
    PERFORM settled.fail('SD400', 'email',
      'the address must look like ann@example.org and have at most 254 ASCII characters');
  END IF;
  RETURN kept;
END
$$;

-- Checks the stored form of a password. The gateway creates it, and only the gateway uses its format.
CREATE OR REPLACE FUNCTION accounts.check_hash(password_hash text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_text(password_hash, 'password-hash', max => 1000, min => 20);
END
$$;

-- The account with an address, username or id. Its id is null if there is none.
CREATE OR REPLACE FUNCTION accounts.named(name text)
RETURNS accounts.account
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  IF name ~ '^[0-9]{1,18}$' THEN
    SELECT x.* INTO a FROM accounts.account AS x WHERE x.id = name::bigint;
  ELSIF strpos(name, '@') > 0 THEN
    SELECT x.* INTO a FROM accounts.account AS x WHERE x.email = lower(btrim(name, ' ') COLLATE "C");
  ELSE
    SELECT x.* INTO a FROM accounts.account AS x WHERE lower(x.username) = lower(name COLLATE "C");
  END IF;
  RETURN a;
END
$$;

-- The claims of a token for an account. Keys without a value are absent.
CREATE OR REPLACE FUNCTION accounts.identity_json(a accounts.account)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_strip_nulls(jsonb_build_object('account', a.id, 'epoch', a.epoch, 'email', a.email,
    'displayName', a.display_name, 'username', a.username, 'athlete', a.athlete_id, 'runner', a.runner_id,
    'reader', a.reader_id, 'checkin', a.checkin_id, 'roles', to_jsonb(a.roles)));
END
$$;

-- The current name of a reviewer stored as `account 17`. Any other reviewer is returned unchanged.
CREATE OR REPLACE FUNCTION accounts.reviewer_name(reviewer text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce((
    SELECT coalesce(a.username, a.display_name) FROM accounts.account AS a
    WHERE reviewer ~ '^account [0-9]{1,18}$' AND a.id = substr(reviewer, 9)::bigint), reviewer)
$$;

-- The athlete of a reviewer stored as `account 17`. Null for any other reviewer.
CREATE OR REPLACE FUNCTION accounts.reviewer_athlete(reviewer text)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT a.athlete_id FROM accounts.account AS a
  WHERE reviewer ~ '^account [0-9]{1,18}$' AND a.id = substr(reviewer, 9)::bigint
$$;

-- Writes an account. SD409 if another account already has a value, and SD404 if an identity does not exist.
CREATE OR REPLACE FUNCTION accounts.write(a accounts.account)
RETURNS accounts.account
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  broken text;
BEGIN
  IF a.username !~ '^[A-Za-z][A-Za-z0-9._-]{2,49}$' THEN
    PERFORM settled.fail('SD400', 'username',
      'a username must have 3 to 50 letters, digits, dots, hyphens or underscores, and begin with a letter');
  ELSIF a.checkin_id IS NOT NULL THEN
    PERFORM settled.check_text(a.checkin_id, 'checkin', max => 200, min => 1);
  END IF;
  BEGIN
    IF a.id IS NULL THEN
      INSERT INTO accounts.account AS x (
          email, username, display_name, password_hash, athlete_id, runner_id, reader_id, checkin_id)
        VALUES (a.email, a.username, a.display_name, a.password_hash, a.athlete_id, a.runner_id, a.reader_id, a.checkin_id)
        RETURNING x.* INTO a;
    ELSE
      UPDATE accounts.account AS x SET
          username = a.username, password_hash = a.password_hash, athlete_id = a.athlete_id, runner_id = a.runner_id,
          reader_id = a.reader_id, checkin_id = a.checkin_id, roles = a.roles, epoch = a.epoch, disabled_at = a.disabled_at,
          verified_at = a.verified_at
        WHERE x.id = a.id
        RETURNING x.* INTO a;
    END IF;
  EXCEPTION WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
    broken := substr(broken, length('account_') + 1);
    PERFORM settled.fail('SD409', broken, format('another account has this %s', broken));
  WHEN foreign_key_violation THEN
    GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
    broken := split_part(broken, '_', 2);
    PERFORM settled.fail('SD404', broken, format('there is no such %s', broken));
  END;
  RETURN a;
END
$$;
