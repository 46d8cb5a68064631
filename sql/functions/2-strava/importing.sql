-- The activities of athletes that are fetched before races are settled.

-- Whether operators want it.
CREATE OR REPLACE FUNCTION strava.imports()
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT settled.setting('strava.import') = 'on'
$$;

-- Asks for the activities of athletes that started in [since, before), until an instant. Those without an active
-- connection are passed over, as is what is too late. In the order of a hash: where the budget is too small for all, it
-- is not always the same athletes who come last.
CREATE OR REPLACE FUNCTION strava.request_imports(
  athletes bigint[], since timestamptz[], before timestamptz[], until_at timestamptz[])
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO strava.import_request AS r (athlete_id, since, before, until_at, next_call_at)
    SELECT a.athlete_id, a.since, a.before, a.until_at, t.now
    FROM settled.clock() AS t (now)
    CROSS JOIN unnest(athletes, request_imports.since, request_imports.before, request_imports.until_at)
      AS a (athlete_id, since, before, until_at)
    JOIN strava.connection AS c ON c.athlete_id = a.athlete_id AND c.status = 'active'
    WHERE a.until_at > t.now
    ORDER BY hashint8extended(a.athlete_id, extract(epoch FROM a.until_at)::bigint), a.athlete_id, a.until_at
  ON CONFLICT ON CONSTRAINT import_request_once DO UPDATE SET
    -- Another item: what is being listed at this moment is not enough.
    id = DEFAULT,
    since = least(r.since, excluded.since),
    before = greatest(r.before, excluded.before),
    page = 1,
    next_call_at = excluded.next_call_at
    WHERE excluded.since < r.since OR excluded.before > r.before
$$;

-- Takes note of a page that was read: keeps what is wanted of it, in the keys of the importer, until its streams are
-- fetched. A full page has a successor, up to the third. After the last one the athlete is listed once more, a quarter
-- of an hour before the time is over: activities are uploaded late, and a quarter sees a new window of the limits.
CREATE OR REPLACE FUNCTION strava.note_listing(request bigint, activities jsonb, is_full boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.import_request;
  now timestamptz;
BEGIN
  SELECT x.* INTO r FROM strava.import_request AS x WHERE x.id = request FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  now := settled.clock();
  INSERT INTO strava.found_activity AS f (athlete_id, activity_id, summary, found_at, until_at)
    SELECT DISTINCT ON (w.id) r.athlete_id, w.id, a.summary, now, r.until_at
    FROM unnest(strava.wanted_activities(activities)) AS w (id)
    JOIN jsonb_array_elements(activities) AS a (summary) ON (a.summary ->> 'stravaId')::bigint = w.id
    ORDER BY w.id
  ON CONFLICT ON CONSTRAINT found_activity_pkey DO UPDATE SET until_at = greatest(f.until_at, excluded.until_at);
  IF is_full AND r.page < 3 THEN
    UPDATE strava.import_request AS x SET page = x.page + 1 WHERE x.id = request;
  ELSIF r.until_at - interval '15 minutes' > now THEN
    UPDATE strava.import_request AS x SET page = 1, next_call_at = x.until_at - interval '15 minutes' WHERE x.id = request;
  ELSE
    DELETE FROM strava.import_request AS x WHERE x.id = request;
  END IF;
END
$$;

-- The streams of an answer as the importer takes them: JSON null where one of the two is
-- missing, null where it cannot be read.
CREATE OR REPLACE FUNCTION strava.streams_of(answer text)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  streams jsonb;
BEGIN
  -- Not above: what DECLARE computes no handler catches.
  streams := answer::jsonb;
  IF jsonb_typeof(streams) <> 'object' THEN
    RETURN NULL;
  ELSIF streams #> '{time,data}' IS NULL OR streams #> '{distance,data}' IS NULL THEN
    RETURN 'null'::jsonb;
  END IF;
  RETURN jsonb_build_object('time', streams #> '{time,data}', 'distance', streams #> '{distance,data}');
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END
$$;

-- Keeps a found activity with its streams as they were answered, or without where answer is null, and has done with it.
-- Returns the rule by which it is refused, if it is; 'unreadable' where the answer cannot be read, and nothing is done.
-- An activity that the importer refuses for its streams alone is kept without them. Nothing is kept
-- of an athlete who has disconnected.
CREATE OR REPLACE FUNCTION strava.keep_found(athlete_id bigint, activity_id bigint, answer text)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  its_summary jsonb;
  is_revoked boolean;
  streams jsonb;
  refused text;
BEGIN
  SELECT f.summary, c.status = 'revoked' INTO its_summary, is_revoked
    FROM strava.found_activity AS f JOIN strava.connection AS c ON c.athlete_id = f.athlete_id
    WHERE f.athlete_id = keep_found.athlete_id AND f.activity_id = keep_found.activity_id;
  IF NOT FOUND THEN
    RETURN NULL;
  ELSIF NOT is_revoked THEN
    IF answer IS NOT NULL THEN
      streams := strava.streams_of(answer);
      IF streams IS NULL THEN
        RETURN 'unreadable';
      END IF;
      its_summary := its_summary || jsonb_build_object('streams', streams);
    END IF;
    -- First what the importer locks, then our own row: whoever ends a race holds the race when it comes here.
    BEGIN
      refused := strava.keep_activity(athlete_id, its_summary);
      IF refused = 'streams' THEN
        refused := strava.keep_activity(athlete_id, its_summary - 'streams');
      END IF;
      -- Behind the importer's lock: who was erased or has disconnected meanwhile gets nothing.
      IF EXISTS (SELECT FROM strava.connection AS c
          WHERE c.athlete_id = keep_found.athlete_id AND c.status = 'revoked') THEN
        RAISE EXCEPTION 'revoked meanwhile' USING ERRCODE = 'SD499';
      END IF;
    EXCEPTION WHEN SQLSTATE 'SD499' THEN
      refused := NULL;
    END;
  END IF;
  DELETE FROM strava.found_activity AS f
    WHERE f.athlete_id = keep_found.athlete_id AND f.activity_id = keep_found.activity_id;
  RETURN refused;
END
$$;

-- The time of a found activity is over: it is kept without streams, or forgotten
-- where operators have ceased to want it.
CREATE OR REPLACE FUNCTION strava.end_found(athlete_id bigint, activity_id bigint)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF strava.imports() THEN
    RETURN strava.keep_found(athlete_id, activity_id, NULL);
  END IF;
  DELETE FROM strava.found_activity AS f
    WHERE f.athlete_id = end_found.athlete_id AND f.activity_id = end_found.activity_id;
  RETURN NULL;
END
$$;

-- The provider has refused a read with the access token that ends at an instant.
CREATE OR REPLACE FUNCTION strava.refuse_token(athlete_id bigint, expires_at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE strava.connection AS c SET refused_expiry = refuse_token.expires_at WHERE c.athlete_id = refuse_token.athlete_id
$$;

-- Counts a read that failed. The breaker of the tokens is not touched: they come from another host.
CREATE OR REPLACE FUNCTION strava.note_read_failure(class text)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO strava.call_error AS e (class, count, last_at) VALUES ('read-' || note_read_failure.class, 1, settled.clock())
  ON CONFLICT ON CONSTRAINT call_error_pkey DO UPDATE SET count = e.count + 1, last_at = excluded.last_at
$$;

SELECT settled.declare_callers('strava',
  daemon => '{
    imports, request_imports, note_listing, streams_of, keep_found, end_found, refuse_token, note_read_failure}');
