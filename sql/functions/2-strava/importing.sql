-- What both releases share, and what the daemon of a former release calls: it finds nothing in its tables.

-- Whether operators want that activities are fetched before races are settled.
CREATE OR REPLACE FUNCTION strava.imports()
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT settled.setting('strava.import') = 'on'
$$;

-- A former release writes the reply to a call that began before its request was moved: it is read once more.
CREATE OR REPLACE FUNCTION strava.note_listing(request bigint, activities jsonb, is_full boolean)
RETURNS void
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ $$;

-- The same of streams.
CREATE OR REPLACE FUNCTION strava.keep_found(athlete_id bigint, activity_id bigint, answer text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT NULL::text $$;

-- The same of an activity whose time is over.
CREATE OR REPLACE FUNCTION strava.end_found(athlete_id bigint, activity_id bigint)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT NULL::text $$;

-- The provider has refused a read with the access token that ends at an instant: reads wait for the next one.
CREATE OR REPLACE FUNCTION strava.refuse_token(athlete_id bigint, expires_at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE strava.connection AS c SET refused_expiry = refuse_token.expires_at
    WHERE c.athlete_id = refuse_token.athlete_id AND c.expires_at = refuse_token.expires_at;
  IF FOUND THEN
    PERFORM strava.hold_reads(athlete_id);
  END IF;
END
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
  daemon => '{imports, note_listing, keep_found, end_found, refuse_token, note_read_failure}');
