-- The scopes that a connection needs, in the order in which the provider documents them.
CREATE OR REPLACE FUNCTION strava.wanted_scopes()
RETURNS text[]
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT '{read,activity:read_all,profile:read_all}'::text[]
$$;

-- The wanted scopes that are not among the granted ones, which come separated by commas or spaces.
CREATE OR REPLACE FUNCTION strava.missing_scopes(granted text)
RETURNS text[]
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(w.scope ORDER BY w.place), '{}')
  FROM unnest(strava.wanted_scopes()) WITH ORDINALITY AS w (scope, place)
  WHERE w.scope <> ALL (regexp_split_to_array(granted, '[,\s]+'))
$$;

-- How a connection is shown with its athlete; null where there never was one.
CREATE OR REPLACE FUNCTION strava.connection_json(athlete_id bigint)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object('status', c.status, 'missingScopes', to_jsonb(c.missing_scopes))
  FROM strava.connection AS c WHERE c.athlete_id = connection_json.athlete_id
$$;
