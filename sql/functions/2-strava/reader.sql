-- The takers of what is read. This module knows nobody above it: another one registers functions of its own.

-- Those of former releases.
DROP FUNCTION IF EXISTS strava.register_importer(text, text);
DROP FUNCTION IF EXISTS strava.importer_name(text);
DROP FUNCTION IF EXISTS strava.wanted_activities(jsonb);
DROP FUNCTION IF EXISTS strava.keep_activity(bigint, jsonb);

-- take_listing(bigint, jsonb) returns void: takes a page of an athlete's listing, with the keys activities, since,
-- before, isLast, askedAt (when its first page was claimed), class, untilAt and followsSwitch.
-- take_activity(bigint, bigint, text, jsonb, integer, timestamptz) returns void: takes what became of an activity of an
-- athlete: found with its summary; foreign, shown but not as theirs, or so that it cannot be read; missing; or hidden
-- where the athlete has not agreed to activity:read_all.
-- take_streams(bigint, jsonb) returns void: takes a summary with its streams; refuses with SD4xx.
-- end_read(bigint, text, bigint, jsonb) returns void: the time of a request of this kind is over.
-- demand(timestamptz, timestamptz) returns bigint: the reads that results due in this time need; null: none.
-- Only the owner of this schema registers, and only functions of its own. They are called with the caller's rights.
CREATE OR REPLACE FUNCTION strava.register_reader(
  take_listing text, take_activity text, take_streams text, end_read text, demand text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  own_listing text := strava.own_function(take_listing, 'void', 'bigint, jsonb');
  own_activity text := strava.own_function(
    take_activity, 'void', 'bigint, bigint, text, jsonb, integer, timestamp with time zone');
  own_streams text := strava.own_function(take_streams, 'void', 'bigint, jsonb');
  own_end text := strava.own_function(end_read, 'void', 'bigint, text, bigint, jsonb');
  own_demand text := strava.own_function(
    demand, 'bigint', 'timestamp with time zone, timestamp with time zone');
BEGIN
  IF num_nulls(own_listing, own_activity, own_streams, own_end) > 0 OR (demand IS NULL) <> (own_demand IS NULL) THEN
    RAISE EXCEPTION 'a reader must have functions that belong to the owner of this schema: take_listing(bigint, jsonb), '
      'take_activity(bigint, bigint, text, jsonb, integer, timestamptz), take_streams(bigint, jsonb), '
      'end_read(bigint, text, bigint, jsonb) and demand(timestamptz, timestamptz)';
  END IF;
  INSERT INTO strava.reader AS r (take_listing, take_activity, take_streams, end_read, demand)
    VALUES (own_listing, own_activity, own_streams, own_end, own_demand)
  ON CONFLICT ON CONSTRAINT reader_pkey DO UPDATE SET
    take_listing = excluded.take_listing,
    take_activity = excluded.take_activity,
    take_streams = excluded.take_streams,
    end_read = excluded.end_read,
    demand = excluded.demand
    WHERE (r.take_listing, r.take_activity, r.take_streams, r.end_read, r.demand) IS DISTINCT FROM
      (excluded.take_listing, excluded.take_activity, excluded.take_streams, excluded.end_read, excluded.demand);
END
$$;

-- The full signature of a function of this schema's owner with this result and these arguments; null: there is none.
CREATE OR REPLACE FUNCTION strava.own_function(signature text, result regtype, arguments text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT p.oid::regprocedure::text
  FROM pg_proc AS p JOIN pg_class AS c ON c.oid = 'strava.connection'::regclass AND c.relowner = p.proowner
  WHERE p.oid = to_regprocedure(signature) AND p.prorettype = result AND NOT p.proretset
    AND oidvectortypes(p.proargtypes) = arguments
$$;

-- The name of a registered function as it is put into a statement; null where there
-- is none, or it has got another owner.
CREATE OR REPLACE FUNCTION strava.own_name(signature text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT format('%I.%I', n.nspname, p.proname)
  FROM pg_proc AS p
  JOIN pg_namespace AS n ON n.oid = p.pronamespace
  JOIN pg_class AS c ON c.oid = 'strava.connection'::regclass AND c.relowner = p.proowner
  WHERE p.oid = to_regprocedure(signature)
$$;

-- The rule of a refusal, by the state and the detail of its error. Content that no rule foresees, and that does not fit
-- into a table, is refused by the state. Null: the error is none of the content.
CREATE OR REPLACE FUNCTION strava.refused_rule(state text, detail text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN state ~ '^SD4' THEN coalesce(substring(detail FROM '"rule": *"([a-z0-9-]+)"'), state)
    WHEN state ~ '^(22|23|54|P0)' THEN state END
$$;

-- Hands what was read, or the end of a request, to whoever takes it: argument has the values beside the athlete.
-- Returns the rule by which it is refused; null where it is taken. Nothing is kept of an athlete who has disconnected.
CREATE OR REPLACE FUNCTION strava.hand_over(taker text, athlete_id bigint, argument jsonb)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(to_jsonb(r) ->> taker) FROM strava.reader AS r);
  detail text;
  rule text;
BEGIN
  IF name IS NULL THEN
    RETURN NULL;
  END IF;
  CASE taker
  WHEN 'take_listing', 'take_streams' THEN
    EXECUTE format('SELECT %s($1, $2)', name) USING athlete_id, argument;
  WHEN 'take_activity' THEN
    EXECUTE format('SELECT %s($1, $2, $3, $4, $5, $6)', name)
      USING athlete_id, (argument ->> 'activityId')::bigint, argument ->> 'outcome',
        nullif(argument -> 'summary', 'null'), (argument ->> 'class')::integer, (argument ->> 'untilAt')::timestamptz;
  WHEN 'end_read' THEN
    EXECUTE format('SELECT %s($1, $2, $3, $4)', name)
      USING athlete_id, argument ->> 'kind', (argument ->> 'activityId')::bigint,
        nullif(argument -> 'summary', 'null');
  END CASE;
  -- Behind the taker's lock: who was erased or has disconnected meanwhile gets nothing.
  IF strava.is_revoked(athlete_id) THEN
    RAISE EXCEPTION 'the connection has been revoked' USING ERRCODE = 'SD499';
  END IF;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  rule := strava.refused_rule(SQLSTATE, detail);
  IF rule IS NULL THEN
    RAISE;
  END IF;
  RETURN CASE WHEN NOT strava.is_revoked(athlete_id) THEN rule END;
END
$$;

-- Whether the athlete has disconnected.
CREATE OR REPLACE FUNCTION strava.is_revoked(athlete_id bigint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (SELECT FROM strava.connection AS c WHERE c.athlete_id = is_revoked.athlete_id AND c.status = 'revoked')
$$;

-- The reads that results due in this time need; 0 where nobody counts them.
CREATE OR REPLACE FUNCTION strava.reads_needed(since timestamptz, before timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.own_name(r.demand) FROM strava.reader AS r);
  needed bigint;
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1, $2)', name) INTO needed USING since, before;
  END IF;
  RETURN coalesce(needed, 0);
END
$$;

SELECT settled.declare_callers('strava', daemon => '{own_name, refused_rule, hand_over, is_revoked, reads_needed}');
