-- Zones that people and settings may name, from the server's tz data. Called at the end of every migration.
-- Names that the server no longer knows are kept, because profiles may hold them.
CREATE OR REPLACE FUNCTION settled.refresh_time_zones()
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO settled.time_zone (name)
    SELECT z.name FROM pg_timezone_names AS z
    WHERE z.name IN ('UTC', 'GMT')
      OR (z.name LIKE '%/%' AND z.name !~ '^(posix/|right/|Etc/GMT)')
  ON CONFLICT DO NOTHING
$$;
