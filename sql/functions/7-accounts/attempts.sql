-- Failed logins. The limits within 15 minutes are ten for a name from one address, thirty for a name from an IPv6 /48,
-- and a hundred for a name. Only the first limit applies to an address from which the name has recently logged in.
-- Failures are counted by the given name, so a refusal does not reveal whether an account exists. They are counted
-- before the password is checked, so concurrent attempts gain nothing over sequential ones.
-- Source: Accounts.docc/LogIn.md, "Attempts".

CREATE OR REPLACE FUNCTION accounts.name_digest(name text)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN sha256(convert_to(lower(btrim(name, ' ') COLLATE "C"), 'UTF8'));
END
$$;

-- Writes the remaining failures of a name. Deletes the row if none remain.
CREATE OR REPLACE FUNCTION accounts.keep_failures(digest bytea, addresses text[], failed_at timestamptz[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF cardinality(failed_at) = 0 THEN
    DELETE FROM accounts.attempt AS x WHERE x.name_digest = keep_failures.digest;
  ELSE
    UPDATE accounts.attempt AS x SET
        addresses = keep_failures.addresses, failed_at = keep_failures.failed_at,
        last_at = keep_failures.failed_at[cardinality(keep_failures.failed_at)]
      WHERE x.name_digest = keep_failures.digest;
  END IF;
END
$$;

-- The /48 of an IPv6 /64. Null for any other address.
CREATE OR REPLACE FUNCTION accounts.site(address text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN address ~ '^[0-9a-f:]{2,39}/64$' THEN set_masklen(address::cidr, 48)::text END
$$;

-- Whether the name has logged in from this address recently.
CREATE OR REPLACE FUNCTION accounts.knows_address(name text, address text)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (SELECT FROM accounts.known_address AS k
    WHERE k.name_digest = accounts.name_digest(name) AND k.address = knows_address.address
      AND k.logged_in_at > clock_timestamp() - interval '30 days')
$$;

-- Stores that the name logged in from this address. Keeps the five latest addresses per name.
CREATE OR REPLACE FUNCTION accounts.know_address(name text, address text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  digest bytea := accounts.name_digest(name);
BEGIN
  INSERT INTO accounts.known_address AS k (name_digest, address, logged_in_at)
    VALUES (digest, know_address.address, clock_timestamp())
  ON CONFLICT ON CONSTRAINT known_address_pkey DO UPDATE SET logged_in_at = excluded.logged_in_at;
  DELETE FROM accounts.known_address AS k WHERE k.name_digest = digest AND k.address NOT IN (
    SELECT n.address FROM accounts.known_address AS n WHERE n.name_digest = digest
    ORDER BY n.logged_in_at DESC LIMIT 5);
  -- Each new row deletes a few old ones.
  DELETE FROM accounts.known_address AS k WHERE (k.name_digest, k.address) IN (
    SELECT o.name_digest, o.address FROM accounts.known_address AS o
    WHERE o.logged_in_at < clock_timestamp() - interval '30 days' ORDER BY o.logged_in_at LIMIT 10
    FOR UPDATE SKIP LOCKED);
END
$$;

-- Counts a login as failed until the caller reports success. After too many failures: SD429 `attempts`, with the
-- seconds to wait.
CREATE OR REPLACE FUNCTION accounts.count_attempt(name text, address text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  span constant interval := interval '15 minutes';
  digest bytea := accounts.name_digest(name);
  now timestamptz := clock_timestamp();
  kept accounts.attempt;
  full_at timestamptz;
  is_known boolean := accounts.knows_address(name, address);
BEGIN
  -- Each new attempt deletes a few old ones, so the table does not grow.
  DELETE FROM accounts.attempt AS x WHERE x.name_digest IN (
    SELECT y.name_digest FROM accounts.attempt AS y WHERE y.last_at < now - span AND y.name_digest <> digest
    ORDER BY y.last_at LIMIT 10 FOR UPDATE SKIP LOCKED);
  INSERT INTO accounts.attempt AS x (name_digest, addresses, failed_at, last_at)
    VALUES (digest, ARRAY[address], ARRAY[now], now)
  ON CONFLICT ON CONSTRAINT attempt_pkey DO NOTHING;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT x.* INTO kept FROM accounts.attempt AS x WHERE x.name_digest = digest FOR UPDATE;
  IF NOT FOUND THEN        -- a login deleted the row in the meantime
    PERFORM accounts.count_attempt(name, address);
    RETURN;
  END IF;
  now := clock_timestamp();
  SELECT array_agg(f.address ORDER BY f.place), array_agg(f.at ORDER BY f.place) INTO kept.addresses, kept.failed_at
    FROM unnest(kept.addresses, kept.failed_at) WITH ORDINALITY AS f (address, at, place) WHERE f.at > now - span;
  -- The wait ends when the attempt that fills the limit expires.
  SELECT max(w.at) INTO full_at FROM (
    (SELECT f.at FROM unnest(kept.addresses, kept.failed_at) WITH ORDINALITY AS f (address, at, place)
      WHERE f.address = count_attempt.address ORDER BY f.place DESC OFFSET 9 LIMIT 1)
    UNION ALL
    (SELECT f.at FROM unnest(kept.addresses, kept.failed_at) WITH ORDINALITY AS f (address, at, place)
      WHERE NOT is_known AND accounts.site(f.address) = accounts.site(count_attempt.address)
      ORDER BY f.place DESC OFFSET 29 LIMIT 1)
    UNION ALL
    (SELECT f.at FROM unnest(kept.failed_at) WITH ORDINALITY AS f (at, place) WHERE NOT is_known
      ORDER BY f.place DESC OFFSET 99 LIMIT 1)
  ) AS w;
  IF full_at IS NOT NULL THEN
    PERFORM settled.fail('SD429', 'attempts', 'too many failed logins: try again later',
      jsonb_build_object('retryAfter', greatest(1, ceil(extract(epoch FROM full_at + span - now))::integer)));
  END IF;
  -- After the hundredth failure, a failure from a known address replaces the oldest one.
  IF cardinality(kept.failed_at) >= 100 THEN
    kept.addresses := kept.addresses[2:];
    kept.failed_at := kept.failed_at[2:];
  END IF;
  PERFORM accounts.keep_failures(digest, array_append(kept.addresses, address), array_append(kept.failed_at, now));
END
$$;

-- Deletes the latest failure of the name and address, or all of them.
CREATE OR REPLACE FUNCTION accounts.forget_attempts(name text, address text, all_of_them boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  digest bytea := accounts.name_digest(name);
  kept accounts.attempt;
  last_place bigint;
BEGIN
  SELECT x.* INTO kept FROM accounts.attempt AS x WHERE x.name_digest = digest FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT max(f.place) INTO last_place
    FROM unnest(kept.addresses) WITH ORDINALITY AS f (address, place) WHERE f.address = forget_attempts.address;
  SELECT coalesce(array_agg(f.address ORDER BY f.place), '{}'), coalesce(array_agg(f.at ORDER BY f.place), '{}')
    INTO kept.addresses, kept.failed_at
    FROM unnest(kept.addresses, kept.failed_at) WITH ORDINALITY AS f (address, at, place)
    WHERE CASE WHEN all_of_them THEN f.address <> forget_attempts.address ELSE f.place IS DISTINCT FROM last_place END;
  PERFORM accounts.keep_failures(digest, kept.addresses, kept.failed_at);
END
$$;
