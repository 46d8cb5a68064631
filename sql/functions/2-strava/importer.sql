-- The takers of activities that are found. This module knows nobody above it: another
-- one registers functions of its own.

-- wanted(jsonb) returns bigint[]: the ids of those that are wanted, of an array of activities.
-- keep(bigint, jsonb) returns bigint: takes in an activity of an athlete unless it is there; refuses with SD4xx.
-- Only the owner of this schema registers, and only functions of its own. They are called with the caller's rights.
CREATE OR REPLACE FUNCTION strava.register_importer(wanted text, keep text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  own_wanted text := strava.own_function(wanted, 'bigint[]', 'jsonb');
  own_keep text := strava.own_function(keep, 'bigint', 'bigint, jsonb');
BEGIN
  IF num_nulls(own_wanted, own_keep) > 0 THEN
    RAISE EXCEPTION 'an importer has two functions of the owner of this schema: wanted(jsonb) and keep(bigint, jsonb)';
  END IF;
  INSERT INTO strava.importer AS i (wanted, keep) VALUES (own_wanted, own_keep)
  ON CONFLICT ON CONSTRAINT importer_pkey DO UPDATE SET wanted = excluded.wanted, keep = excluded.keep
    WHERE (i.wanted, i.keep) IS DISTINCT FROM (excluded.wanted, excluded.keep);
END
$$;

-- The full signature of a function of this schema's owner with this result and these arguments; null: there is none.
CREATE OR REPLACE FUNCTION strava.own_function(signature text, result regtype, arguments text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT p.oid::regprocedure::text
  FROM pg_proc AS p JOIN pg_class AS c ON c.oid = 'strava.importer'::regclass AND c.relowner = p.proowner
  WHERE p.oid = to_regprocedure(signature) AND p.prorettype = result AND NOT p.proretset
    AND oidvectortypes(p.proargtypes) = arguments
$$;

-- The name of a registered function as it is put into a statement; null where there
-- is none, or it has got another owner.
CREATE OR REPLACE FUNCTION strava.importer_name(signature text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT format('%I.%I', n.nspname, p.proname)
  FROM pg_proc AS p
  JOIN pg_namespace AS n ON n.oid = p.pronamespace
  JOIN pg_class AS c ON c.oid = 'strava.importer'::regclass AND c.relowner = p.proowner
  WHERE p.oid = to_regprocedure(signature)
$$;

-- The ids of those activities that are wanted; none where nobody has registered.
CREATE OR REPLACE FUNCTION strava.wanted_activities(activities jsonb)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.importer_name(i.wanted) FROM strava.importer AS i);
  ids bigint[];
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1)', name) INTO ids USING activities;
  END IF;
  RETURN coalesce(ids, '{}');
END
$$;

-- Hands an activity to whoever wants it. Returns the rule by which it is refused; null where it is kept, or was there.
-- Content that no rule foresees, and that does not fit into a table, is refused by the state of the error.
CREATE OR REPLACE FUNCTION strava.keep_activity(athlete_id bigint, activity jsonb)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
-- The name is read from the catalogue, quoted; what it does is not known.
-- @plpgsql_check_options: security_warnings = off, performance_warnings = off
DECLARE
  name text := (SELECT strava.importer_name(i.keep) FROM strava.importer AS i);
  detail text;
BEGIN
  IF name IS NOT NULL THEN
    EXECUTE format('SELECT %s($1, $2)', name) USING athlete_id, activity;
  END IF;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  IF SQLSTATE ~ '^SD4' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    -- No cast: a handler's own errors nobody catches.
    RETURN coalesce(substring(detail FROM '"rule": *"([a-z0-9-]+)"'), SQLSTATE);
  ELSIF SQLSTATE ~ '^(22|23|54|P0)' THEN
    RETURN SQLSTATE;
  END IF;
  RAISE;
END
$$;

SELECT settled.declare_callers('strava', daemon => '{importer_name, wanted_activities, keep_activity}');
