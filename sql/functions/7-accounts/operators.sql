-- The operators' functions for accounts, called by the daemon. An account is named by its id, address or username.

CREATE OR REPLACE FUNCTION accounts.account_json(a accounts.account)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object('id', a.id, 'email', a.email, 'displayName', a.display_name, 'username', a.username,
    'athleteId', a.athlete_id, 'runnerId', a.runner_id, 'readerId', a.reader_id, 'checkinId', a.checkin_id,
    'roles', to_jsonb(a.roles), 'hasPassword', a.password_hash IS NOT NULL, 'createdAt', settled.iso(a.created_at),
    'verifiedAt', settled.iso(a.verified_at), 'disabledAt', settled.iso(a.disabled_at));
END
$$;

-- More people can read the audit log than the accounts, so it contains neither the address nor the name of an account.
-- This is a trigger because daemons of the previous release also write to the audit log.
CREATE OR REPLACE FUNCTION accounts.shorten_audit()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  hidden CONSTANT text[] := ARRAY['email', 'displayName'];
BEGIN
  NEW.before := CASE jsonb_typeof(NEW.before) WHEN 'object' THEN NEW.before - hidden ELSE NEW.before END;
  NEW.after := CASE jsonb_typeof(NEW.after) WHEN 'object' THEN NEW.after - hidden ELSE NEW.after END;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER account_audit BEFORE INSERT ON settled.audit
  FOR EACH ROW WHEN (NEW.command LIKE 'account.%') EXECUTE FUNCTION accounts.shorten_audit();

-- The account that an operator names, locked. SD404 `account`.
CREATE OR REPLACE FUNCTION accounts.to_change(name text)
RETURNS accounts.account
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(name, 'account', max => 254, min => 1);
  SELECT x.* INTO a FROM accounts.account AS x WHERE x.id = (accounts.named(name)).id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'account', 'there is no such account');
  END IF;
  RETURN a;
END
$$;

-- SD409 `unverified` if a name or an address finds an account that a stranger might have registered: it has a password,
-- and the address was never verified. An account without a password was created by an operator, and an account number
-- is never entered by mistake. Source: Accounts.docc/AccountChanges.md, "Verified accounts".
CREATE OR REPLACE FUNCTION accounts.check_verified(a accounts.account, named text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF a.verified_at IS NULL AND a.password_hash IS NOT NULL AND named !~ '^[0-9]+$' THEN
    PERFORM settled.fail('SD409', 'unverified', format(
      'account %s was registered, but its address has not been verified: settlectl account reset %s prints a '
      'link for its owner; --unverified changes it anyway', a.id, a.id));
  END IF;
END
$$;

-- Writes a change that revokes all earlier tokens.
CREATE OR REPLACE FUNCTION accounts.change(a accounts.account)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  a.epoch := a.epoch + 1;
  RETURN accounts.account_json(accounts.write(a));
END
$$;

-- Creates an account without a password, and stores the digest of the token that sets one, valid for three days. If the
-- account exists but has no password yet, stores another token, provided that no other change is requested.
CREATE OR REPLACE FUNCTION accounts.create_account(
  email text, token_digest bytea, username text DEFAULT NULL, athlete bigint DEFAULT NULL, runner bigint DEFAULT NULL,
  reader bigint DEFAULT NULL, checkin text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  PERFORM settled.check_writer();
  a.email := accounts.check_email(email);
  SELECT x.* INTO a FROM accounts.account AS x WHERE x.email = a.email AND x.password_hash IS NULL AND x.disabled_at IS NULL
    FOR NO KEY UPDATE;
  IF NOT FOUND OR num_nonnulls(username, athlete, runner, reader, checkin) > 0 THEN
    a.id := NULL;
    a.email := accounts.check_email(email);
    a.username := username;
    a.display_name := coalesce(username, split_part(a.email, '@', 1));
    a.athlete_id := athlete;
    a.runner_id := runner;
    a.reader_id := reader;
    a.checkin_id := checkin;
    a := accounts.write(a);
  END IF;
  IF NOT accounts.keep_token(a.id, token_digest, 'set-password', interval '72 hours') THEN
    PERFORM settled.fail('SD409', 'token', 'this account already has three valid links');
  END IF;
  RETURN accounts.account_json(a);
END
$$;

-- Stores the digest of a token that sets a new password within three days, and revokes earlier links. The current
-- password stays valid until then. SD409 `disabled`: the account cannot log in.
CREATE OR REPLACE FUNCTION accounts.reset(account text, token_digest bytea)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  IF a.disabled_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'disabled', 'the account is disabled');
  END IF;
  DELETE FROM accounts.one_time_token AS t WHERE t.account_id = a.id;
  PERFORM accounts.keep_token(a.id, token_digest, 'set-password', interval '72 hours');
  RETURN accounts.account_json(a);
END
$$;

-- Links an account to identities in the given systems. Replaces identities that the account already has in those
-- systems. unverified: whether an unverified account is accepted.
DROP FUNCTION IF EXISTS accounts.link(text, text, bigint, bigint, bigint, text);
CREATE OR REPLACE FUNCTION accounts.link(
  account text, username text DEFAULT NULL, athlete bigint DEFAULT NULL, runner bigint DEFAULT NULL,
  reader bigint DEFAULT NULL, checkin text DEFAULT NULL, unverified boolean DEFAULT false)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  IF unverified IS NOT TRUE THEN
    PERFORM accounts.check_verified(a, account);
  END IF;
  IF num_nonnulls(username, athlete, runner, reader, checkin) = 0 THEN
    PERFORM settled.fail('SD400', 'link', 'username, athlete, runner, reader or checkin is required');
  END IF;
  a.username := coalesce(username, a.username);
  a.athlete_id := coalesce(athlete, a.athlete_id);
  a.runner_id := coalesce(runner, a.runner_id);
  a.reader_id := coalesce(reader, a.reader_id);
  a.checkin_id := coalesce(checkin, a.checkin_id);
  RETURN accounts.change(a);
END
$$;

-- Removes an account's identities in these systems: username athlete runner reader checkin.
CREATE OR REPLACE FUNCTION accounts.unlink(account text, kinds text[])
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  IF kinds IS NULL OR cardinality(kinds) = 0 OR NOT kinds <@ '{username,athlete,runner,reader,checkin}' THEN
    PERFORM settled.fail('SD400', 'link', 'username, athlete, runner, reader or checkin is required');
  END IF;
  a.username := CASE WHEN NOT 'username' = ANY (kinds) THEN a.username END;
  a.athlete_id := CASE WHEN NOT 'athlete' = ANY (kinds) THEN a.athlete_id END;
  a.runner_id := CASE WHEN NOT 'runner' = ANY (kinds) THEN a.runner_id END;
  a.reader_id := CASE WHEN NOT 'reader' = ANY (kinds) THEN a.reader_id END;
  a.checkin_id := CASE WHEN NOT 'checkin' = ANY (kinds) THEN a.checkin_id END;
  RETURN accounts.change(a);
END
$$;

CREATE OR REPLACE FUNCTION accounts.check_role(role text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF role IS NULL OR role NOT IN ('moderator', 'payments') THEN
    PERFORM settled.fail('SD400', 'role', 'the role must be moderator or payments');
  END IF;
END
$$;

-- Gives an account a role. Repeating the call only revokes older tokens. unverified: as in accounts.link.
DROP FUNCTION IF EXISTS accounts.grant_role(text, text);
CREATE OR REPLACE FUNCTION accounts.grant_role(account text, role text, unverified boolean DEFAULT false)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  PERFORM accounts.check_role(role);
  IF unverified IS NOT TRUE THEN
    PERFORM accounts.check_verified(a, account);
  END IF;
  a.roles := ARRAY(SELECT r FROM unnest(a.roles) AS r UNION SELECT role ORDER BY 1);
  RETURN accounts.change(a);
END
$$;

CREATE OR REPLACE FUNCTION accounts.revoke_role(account text, role text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  PERFORM accounts.check_role(role);
  a.roles := array_remove(a.roles, role);
  RETURN accounts.change(a);
END
$$;

-- Revokes all tokens and open links of an account. The account cannot log in until it is enabled.
CREATE OR REPLACE FUNCTION accounts.disable(account text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  a.disabled_at := coalesce(a.disabled_at, clock_timestamp());
  DELETE FROM accounts.one_time_token AS t WHERE t.account_id = a.id;
  RETURN accounts.change(a);
END
$$;

CREATE OR REPLACE FUNCTION accounts.enable(account text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account := accounts.to_change(account);
BEGIN
  a.disabled_at := NULL;
  RETURN accounts.change(a);
END
$$;

CREATE OR REPLACE FUNCTION accounts.show(account text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  PERFORM settled.check_text(account, 'account', max => 254, min => 1);
  a := accounts.named(account);
  IF a.id IS NULL THEN
    PERFORM settled.fail('SD404', 'account', 'there is no such account');
  END IF;
  RETURN accounts.account_json(a);
END
$$;

-- Accounts by id.
CREATE OR REPLACE FUNCTION accounts.list(after bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_page(max);
  RETURN (
    SELECT coalesce(jsonb_agg(accounts.account_json(p) ORDER BY p.id), '[]')
    FROM (
      SELECT a.* FROM accounts.account AS a WHERE a.id > coalesce(after, 0) ORDER BY a.id LIMIT list.max
    ) AS p);
END
$$;

SELECT settled.declare_callers('accounts',
  daemon => '{create_account, reset, link, unlink, grant_role, revoke_role, disable, enable, show, list}',
  fixed => '{create_account, reset, link, unlink, grant_role, revoke_role, disable, enable, show, list}');
