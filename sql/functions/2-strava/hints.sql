-- Hints of the provider's webhooks. Nobody signs them, so nothing follows from one but a read with the athlete's token.
-- Source: Strava.docc/Webhooks.md, "What a hint does".

-- Takes a hint of a subscription: {object_type, object_id, aspect_type, owner_id, subscription_id, updates,
-- event_time}, whose members have their types. One of an unknown subscription, athlete or kind is forgotten. So are the
-- same again and an older one of the same thing, and what comes beyond 1,000 of an athlete.
CREATE OR REPLACE FUNCTION strava.take_hint(hint jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c strava.connection;
  its_object bigint := (hint ->> 'object_id')::bigint;
  its_kind text := CASE
    WHEN hint ->> 'object_type' = 'activity' AND hint ->> 'aspect_type' IN ('create', 'update', 'delete')
      THEN hint ->> 'aspect_type'
    WHEN hint ->> 'object_type' = 'athlete' AND hint #>> '{updates,authorized}' = 'false' THEN 'revoke' END;
  its_time timestamptz := to_timestamp((hint ->> 'event_time')::bigint);
  now timestamptz;
BEGIN
  IF its_kind IS NULL OR NOT EXISTS (SELECT FROM strava.subscription AS s
    WHERE s.subscription_id = (hint ->> 'subscription_id')::bigint)
  THEN
    RETURN;
  END IF;
  SELECT x.* INTO c FROM strava.connection AS x
    WHERE x.provider_athlete_id = (hint ->> 'owner_id')::bigint AND x.status <> 'revoked';
  IF NOT FOUND OR its_kind = 'revoke' AND its_object <> c.provider_athlete_id THEN
    RETURN;
  -- 1. A grant that the provider has refused already is at its end. Before our own lock: it locks the athlete first.
  ELSIF its_kind = 'revoke' AND c.status = 'needs_reauth' AND c.reason = 'grant' THEN
    PERFORM strava.end_grant(c.athlete_id, c.tokens_given, false);
    RETURN;
  END IF;
  PERFORM FROM strava.connection AS x WHERE x.athlete_id = c.athlete_id AND x.status <> 'revoked' FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  now := settled.clock();
  its_time := least(its_time, now);
  -- 2. Whether anybody wants to know.
  IF its_time < now - strava.hints_kept()
    OR its_kind <> 'revoke'
      AND NOT strava.follows_hint(c.athlete_id, CASE WHEN its_kind <> 'create' THEN its_object END)
    OR (SELECT count(*) >= 1000 FROM strava.hint AS h WHERE h.athlete_id = c.athlete_id)
      AND NOT EXISTS (SELECT FROM strava.hint AS h
        WHERE h.athlete_id = c.athlete_id AND h.kind = its_kind AND h.object_id = its_object)
  THEN
    RETURN;
  END IF;
  -- 3. The row. A few that are too old go with it.
  INSERT INTO strava.hint AS h (athlete_id, kind, object_id, event_at, digest, received_at)
    VALUES (c.athlete_id, its_kind, its_object, its_time, sha256(convert_to(hint::text, 'UTF8')), now)
  ON CONFLICT ON CONSTRAINT hint_pkey DO UPDATE SET event_at = excluded.event_at, digest = excluded.digest,
      received_at = excluded.received_at
    WHERE h.digest <> excluded.digest AND h.event_at <= excluded.event_at;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  DELETE FROM strava.hint AS h WHERE (h.athlete_id, h.kind, h.object_id) IN (
    SELECT x.athlete_id, x.kind, x.object_id FROM strava.hint AS x WHERE x.received_at < now - strava.hints_kept()
    ORDER BY x.received_at LIMIT 10 FOR UPDATE SKIP LOCKED);
  -- 4. The read.
  CASE its_kind
    WHEN 'create' THEN
      -- A listing that waits for a claim is not widened: a hint must not make it begin again. Whole days, so that many
      -- hints widen a listing of their own a few times at most.
      IF NOT EXISTS (SELECT FROM strava.read_request AS r
        WHERE r.athlete_id = c.athlete_id AND r.kind = 'listing' AND r.class IN (1, 2))
      THEN
        PERFORM strava.ask_listing(c.athlete_id, date_bin('1 day', its_time, 'epoch') - interval '1 day',
          date_bin('1 day', its_time, 'epoch') + interval '1 day', now + interval '1 day', 3);
      END IF;
    WHEN 'revoke' THEN
      PERFORM strava.doubt_grant(c.athlete_id);
    ELSE
      PERFORM strava.ask_activity(c.athlete_id, its_object, now + interval '1 day', 3);
  END CASE;
END
$$;

-- How long a hint is kept, so that the same again asks for nothing.
CREATE OR REPLACE FUNCTION strava.hints_kept()
RETURNS interval
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT interval '7 days' $$;

-- The athlete may have withdrawn the grant: the next refresh decides, now, or 15 minutes after the one before. One that
-- is under way may have been answered earlier, so that the next generation decides. The caller has locked the
-- connection.
CREATE OR REPLACE FUNCTION strava.doubt_grant(athlete_id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz := settled.clock();
BEGIN
  UPDATE strava.connection AS c SET
      doubted_generation = greatest(c.doubted_generation, c.tokens_given + CASE WHEN EXISTS (SELECT FROM settled.lease AS l
        WHERE l.job = 'token-refresh' AND l.key = doubt_grant.athlete_id::text) THEN 1 ELSE 0 END),
      next_call_at = least(c.next_call_at, greatest(now, c.refreshed_at + interval '15 minutes'))
    WHERE c.athlete_id = doubt_grant.athlete_id AND c.status = 'active';
END
$$;

-- Deletes hints that are too old; returns how many.
CREATE OR REPLACE FUNCTION strava.prune_hints()
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number bigint;
BEGIN
  PERFORM settled.check_writer();
  DELETE FROM strava.hint AS h WHERE (h.athlete_id, h.kind, h.object_id) IN (
    SELECT x.athlete_id, x.kind, x.object_id FROM strava.hint AS x
    WHERE x.received_at < settled.clock() - strava.hints_kept()
    ORDER BY x.received_at LIMIT 100000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN number;
END
$$;

SELECT settled.declare_callers('strava', daemon => '{prune_hints}', fixed => '{prune_hints}');
