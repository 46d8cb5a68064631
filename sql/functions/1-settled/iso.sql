-- The one way an instant is shown: ISO 8601 in UTC with milliseconds, cut and not rounded.
--
-- It has no search path of its own, so that PostgreSQL puts its expression in place of each call: a call takes five
-- times as long. So each name in it has its schema.
CREATE OR REPLACE FUNCTION settled.iso(at timestamptz)
RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$
  SELECT pg_catalog.to_char(pg_catalog.date_trunc('milliseconds', pg_catalog.timezone('UTC', at)),
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

SELECT settled.declare_callers('settled', daemon => '{iso}');
