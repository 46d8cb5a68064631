-- Failed log-ins: ten within 15 minutes for a name from an address, and a hundred for a name, are the last ones. They
-- are counted by the name that was given, so that a refusal tells nothing of accounts; and before the password is
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

-- Counts a log-in as failed until it is told otherwise. SD429 `attempts`, with the seconds
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
    (SELECT f.at FROM unnest(kept.failed_at) WITH ORDINALITY AS f (at, place) ORDER BY f.place DESC OFFSET 99 LIMIT 1)
  ) AS w;
  IF full_at IS NOT NULL THEN
    PERFORM settled.fail('SD429', 'attempts', 'too many log-ins have failed: try again later',
      jsonb_build_object('retryAfter', greatest(1, ceil(extract(epoch FROM full_at + span - now))::integer)));
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
