-- A one-time token lets a person set a password once. The caller generates the token; the database stores only its
-- SHA-256.

-- Stores a token for this account with the given lifetime. An account can have at most three open tokens. Returns false
-- if it already has three.
CREATE OR REPLACE FUNCTION accounts.keep_token(account_id bigint, digest bytea, kind text, lasts interval)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF octet_length(digest) IS DISTINCT FROM 32 THEN
    PERFORM settled.fail('SD400', 'token-digest', 'a SHA-256 digest must be 32 bytes long');
  END IF;
  DELETE FROM accounts.one_time_token AS t WHERE t.digest IN (
    SELECT x.digest FROM accounts.one_time_token AS x
    WHERE x.expires_at < clock_timestamp() ORDER BY x.expires_at LIMIT 20 FOR UPDATE SKIP LOCKED);
  -- Locked, so that two requests cannot both take the last free slot.
  PERFORM FROM accounts.account AS a WHERE a.id = keep_token.account_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM accounts.one_time_token AS t
    WHERE t.account_id = keep_token.account_id AND t.expires_at >= clock_timestamp()) >= 3
  THEN
    RETURN false;
  END IF;
  INSERT INTO accounts.one_time_token (digest, account_id, kind, expires_at)
    VALUES (keep_token.digest, keep_token.account_id, keep_token.kind, clock_timestamp() + lasts)
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$$;

-- Fails unless the token can be used now.
CREATE OR REPLACE FUNCTION accounts.check_token(digest bytea)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM accounts.one_time_token AS t JOIN accounts.account AS a ON a.id = t.account_id
    WHERE t.digest = check_token.digest AND t.expires_at >= clock_timestamp() AND a.disabled_at IS NULL)
  THEN
    PERFORM settled.fail('SD400', 'token', 'this link has been used or has expired: request a new one');
  END IF;
END
$$;

-- Sets the password of the token's account, which verifies the account. The token becomes used. All other tokens and
-- older sessions of the account are revoked.
CREATE OR REPLACE FUNCTION accounts.use_token(digest bytea, password_hash text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner bigint;
  a accounts.account;
BEGIN
  PERFORM accounts.check_hash(password_hash);
  -- Locks the account first, in the same order as storing a token does.
  SELECT t.account_id INTO owner FROM accounts.one_time_token AS t WHERE t.digest = use_token.digest;
  SELECT x.* INTO a FROM accounts.account AS x WHERE x.id = owner FOR NO KEY UPDATE;
  -- Checks that the token has not been used in the meantime.
  PERFORM accounts.check_token(digest);
  DELETE FROM accounts.one_time_token AS t WHERE t.account_id = a.id;
  a.password_hash := use_token.password_hash;
  a.verified_at := coalesce(a.verified_at, clock_timestamp());
  a.epoch := a.epoch + 1;
  PERFORM accounts.write(a);
  DELETE FROM accounts.attempt AS x
    WHERE x.name_digest IN (accounts.name_digest(a.email), accounts.name_digest(a.username));
END
$$;
