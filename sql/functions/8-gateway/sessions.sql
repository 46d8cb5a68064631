-- Logging in and out. The gateway hashes and compares passwords; only hashes are passed to and from these functions.

-- Whether a token of this account and epoch is still valid: true, otherwise SD401 `token`.
CREATE OR REPLACE FUNCTION gateway.is_current(account_id bigint, epoch bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM FROM accounts.account AS a
    WHERE a.id = account_id AND a.epoch = is_current.epoch AND a.disabled_at IS NULL;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD401', 'token', 'this token is no longer valid: log in again');
  END IF;
  RETURN true;
END
$$;

-- The claims of an account's token: account, epoch, roles, and, if present, username, athlete, runner, reader and
-- checkin; also the account's email and displayName. SD401 `token` if there is no such account, or if it is disabled.
CREATE OR REPLACE FUNCTION gateway.identity(account_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  SELECT x.* INTO a FROM accounts.account AS x WHERE x.id = account_id AND x.disabled_at IS NULL;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD401', 'token', 'this account no longer exists');
  END IF;
  RETURN accounts.identity_json(a);
END
$$;

-- The stored form for comparing a password: {account, epoch, hash}, all null if no account with this address or
-- username can log in; and isKnown, whether the name has logged in from this address recently. The attempt counts as a
-- failure until gateway.log_in. SD429 `attempts` after too many failures. name: as given. address: the caller's
-- address.
CREATE OR REPLACE FUNCTION gateway.credentials(name text, address text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
  may boolean;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(name, 'email', max => 254, min => 1);
  PERFORM settled.check_text(address, 'address', max => 100, min => 1);
  PERFORM accounts.count_attempt(name, address);
  -- An id is not accepted as a name.
  IF name !~ '^[0-9]+$' THEN
    a := accounts.named(name);
  END IF;
  may := a.password_hash IS NOT NULL AND a.disabled_at IS NULL;
  RETURN jsonb_build_object('account', CASE WHEN may THEN a.id END, 'epoch', CASE WHEN may THEN a.epoch END,
    'hash', CASE WHEN may THEN a.password_hash END, 'isKnown', accounts.knows_address(name, address));
END
$$;

-- The password was correct: deletes the failures of this name from this address, and returns the identity. SD401
-- `token` if the account has changed since gateway.credentials.
CREATE OR REPLACE FUNCTION gateway.log_in(account_id bigint, epoch bigint, name text, address text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(name, 'email', max => 254, min => 1);
  PERFORM settled.check_text(address, 'address', max => 100, min => 1);
  PERFORM gateway.is_current(account_id, epoch);
  PERFORM accounts.forget_attempts(name, address, true);
  PERFORM accounts.know_address(name, address);
  RETURN gateway.identity(account_id);
END
$$;

-- The password was not checked because the gateway was busy, so the attempt is not a failure.
CREATE OR REPLACE FUNCTION gateway.forget_attempt(name text, address text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(name, 'email', max => 254, min => 1);
  PERFORM settled.check_text(address, 'address', max => 100, min => 1);
  PERFORM accounts.forget_attempts(name, address, false);
  RETURN '{}'::jsonb;
END
$$;

-- Revokes all tokens of the account.
CREATE OR REPLACE FUNCTION gateway.log_out(account_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  UPDATE accounts.account AS a SET epoch = a.epoch + 1 WHERE a.id = account_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD401', 'token', 'this account no longer exists');
  END IF;
  RETURN '{}'::jsonb;
END
$$;

-- Fails with SD400 `email` if the text is not an address. It does not check whether an account has the address.
CREATE OR REPLACE FUNCTION gateway.check_email(email text)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM accounts.check_email(email);
  RETURN '{}'::jsonb;
END
$$;

-- Fails with SD503 `home` if the database is a copy, which sends no mail.
CREATE OR REPLACE FUNCTION gateway.check_mails()
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_home();
  RETURN '{}'::jsonb;
END
$$;

-- A request for a new password: stores the digest of a token for 30 minutes, and returns the recipient, {email}. Null
-- if no account has the address, or if the account cannot log in or has three open tokens. The caller does not reveal
-- which. SD503 `home`: the database is a copy, which sends no mail.
CREATE OR REPLACE FUNCTION gateway.request_reset(email text, token_digest bytea)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
  is_kept boolean := false;
BEGIN
  PERFORM settled.check_writer();
  IF octet_length(token_digest) IS DISTINCT FROM 32 THEN
    PERFORM settled.fail('SD400', 'token-digest', 'a SHA-256 digest must be 32 bytes long');
  END IF;
  PERFORM settled.check_home();
  a := accounts.named(accounts.check_email(email));
  IF a.id IS NOT NULL AND a.disabled_at IS NULL THEN
    is_kept := accounts.keep_token(a.id, token_digest, 'reset', interval '30 minutes');
  END IF;
  RETURN jsonb_build_object('email', CASE WHEN is_kept THEN a.email END);
END
$$;

-- Fails with SD400 `token` unless the one-time token can be used. Called before a password is hashed.
CREATE OR REPLACE FUNCTION gateway.check_reset(token_digest bytea)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM accounts.check_token(token_digest);
  RETURN '{}'::jsonb;
END
$$;

-- Uses a one-time token: sets the password, and revokes all tokens of the account.
CREATE OR REPLACE FUNCTION gateway.set_password(token_digest bytea, password_hash text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM accounts.use_token(token_digest, password_hash);
  RETURN '{}'::jsonb;
END
$$;

-- Creates an account and its athlete. SD409 `email`: the address is taken. Returns {identity, user} as
-- gateway.racepace_session.
CREATE OR REPLACE FUNCTION gateway.register(email text, display_name text, user_type text, password_hash text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
  kind constant text := coalesce(nullif(initcap(left(user_type, 20)), ''), 'Racer');
BEGIN
  PERFORM settled.check_writer();
  a.email := accounts.check_email(email);
  PERFORM accounts.check_hash(password_hash);
  a.password_hash := register.password_hash;
  IF display_name IS NOT NULL THEN
    a.display_name := settled.shown_name(display_name, 'display-name');
  END IF;
  IF (accounts.named(a.email)).id IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'email', 'another account has this email');
  END IF;
  a.athlete_id := racing.create_athlete(coalesce(a.display_name, kind), user_type => register.user_type);
  IF a.display_name IS NULL THEN
    -- Racer 4711: the address would reveal to everyone who the person is.
    a.display_name := kind || ' ' || a.athlete_id;
    UPDATE racing.athlete AS x SET display_name = a.display_name WHERE x.id = a.athlete_id;
  END IF;
  a := accounts.write(a);
  RETURN gateway.racepace_session(a.id);
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{
    is_current, identity, credentials, log_in, forget_attempt, log_out, check_email, check_mails, request_reset, check_reset,
    set_password, register}',
  unfixed => '{is_current}');
