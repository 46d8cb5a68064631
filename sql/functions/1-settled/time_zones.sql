-- Zones that people and settings may name, from the server's tz data. Called at the end of every migration.
-- Names that the server no longer has are kept, because profiles may hold them.
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

-- Whether the server still knows a zone: names move to tzdata-legacy, or go. Trying is a thousand times quicker than
-- looking it up in pg_timezone_names.
CREATE OR REPLACE FUNCTION settled.knows_zone(zone text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM timestamp 'epoch' AT TIME ZONE zone;
  RETURN true;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN false;
END
$$;

-- Refuses where a zone that was accepted once is known no more: `doctor` names the cure.
CREATE OR REPLACE FUNCTION settled.check_zone(zone text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT settled.knows_zone(zone) THEN
    PERFORM settled.fail('SD400', 'time-zone', format('this server no longer has the time zone %s', zone),
      jsonb_build_object('timeZone', zone));
  END IF;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{knows_zone, check_zone}');
