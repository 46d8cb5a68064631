-- Failed log-ins: ten within 15 minutes for a name from an address, thirty from an IPv6 /48, and a hundred for a name
-- are the last ones; an address from which the name logged in lately is bound by the first alone. They
-- are counted by the name that was given, so that a refusal reveals no account; and before the password is
-- looked at, so that many at once are no more than one after the other. Source: Accounts.docc/LogIn.md, "Attempts".

CREATE OR REPLACE FUNCTION accounts.name_digest(name text)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN sha256(convert_to(lower(btrim(name, ' ') COLLATE "C"), 'UTF8'));
END
$$;

-- Writes what is left of the failures of a name. No row stays empty.
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

-- The /48 of an address that is a /64 of IPv6; null of any other.
CREATE OR REPLACE FUNCTION accounts.site(address text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN address ~ '^[0-9a-f:]{2,39}/64$' THEN set_masklen(address::cidr, 48)::text END
$$;

-- Whether the name logged in from this address lately.
CREATE OR REPLACE FUNCTION accounts.knows_address(name text, address text)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (SELECT FROM accounts.known_address AS k
    WHERE k.name_digest = accounts.name_digest(name) AND k.address = knows_address.address
      AND k.logged_in_at > clock_timestamp() - interval '30 days')
$$;

-- Remembers that the name logged in from this address: its five newest ones.
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
  -- Old ones go, a few with each new one.
  DELETE FROM accounts.known_address AS k WHERE (k.name_digest, k.address) IN (
    SELECT o.name_digest, o.address FROM accounts.known_address AS o
    WHERE o.logged_in_at < clock_timestamp() - interval '30 days' ORDER BY o.logged_in_at LIMIT 10
    FOR UPDATE SKIP LOCKED);
END
$$;

-- Counts a log-in as failed until the caller reports success. SD429 `attempts`, with the seconds
-- to wait, where there were too many.
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
  -- Old attempts go, a few with each new one, so that the table does not grow.
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
  IF NOT FOUND THEN        -- somebody logged in meanwhile
    PERFORM accounts.count_attempt(name, address);
    RETURN;
  END IF;
  now := clock_timestamp();
  SELECT array_agg(f.address ORDER BY f.place), array_agg(f.at ORDER BY f.place) INTO kept.addresses, kept.failed_at
    FROM unnest(kept.addresses, kept.failed_at) WITH ORDINALITY AS f (address, at, place) WHERE f.at > now - span;
  -- The one by which there are too many ends the wait when it is too old.
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
    PERFORM settled.fail('SD429', 'attempts', 'too many failed log-ins: try again later',
      jsonb_build_object('retryAfter', greatest(1, ceil(extract(epoch FROM full_at + span - now))::integer)));
  END IF;
  -- A known address beyond the hundredth failure takes the place of the oldest one.
  IF cardinality(kept.failed_at) >= 100 THEN
    kept.addresses := kept.addresses[2:];
    kept.failed_at := kept.failed_at[2:];
  END IF;
  PERFORM accounts.keep_failures(digest, array_append(kept.addresses, address), array_append(kept.failed_at, now));
END
$$;

-- Takes the latest failure of the pair back, or all of them.
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
