-- The one way an instant is shown: ISO 8601 in UTC with milliseconds, cut and not rounded.
CREATE OR REPLACE FUNCTION settled.iso(at timestamptz)
RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT to_char(date_trunc('milliseconds', at AT TIME ZONE 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

SELECT settled.declare_callers('settled', daemon => '{iso}');
