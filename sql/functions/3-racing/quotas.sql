-- Counts an import of an athlete through the gateway for the day, a date of racing.time_zone. The caller has locked
-- the athlete, so that imports at the limit are counted exactly. bytes: of its body; null: of a claim, whose bytes do
-- not count. SD429 `quota`: nothing of the import is stored. Source: Racing.docc/Activities.md, "Quotas of the
-- gateway".
CREATE OR REPLACE FUNCTION racing.count_import(athlete_id bigint, bytes bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  zone text := settled.setting('racing.time_zone');
  imports_max bigint := settled.setting('racing.imports_a_day')::bigint;
  bytes_max bigint := settled.setting('racing.import_bytes_a_day')::bigint;
  now timestamptz := settled.clock();
  today racing.import_day;
BEGIN
  PERFORM settled.check_zone(zone);
  INSERT INTO racing.import_day AS d (athlete_id, day, imports, bytes)
    VALUES (count_import.athlete_id, settled.local_date(now, zone), 1, coalesce(count_import.bytes, 0))
  ON CONFLICT ON CONSTRAINT import_day_pkey DO UPDATE SET
    day = excluded.day,
    imports = CASE d.day WHEN excluded.day THEN d.imports ELSE 0 END + 1,
    bytes = CASE d.day WHEN excluded.day THEN d.bytes ELSE 0 END + excluded.bytes
  RETURNING d.* INTO today;
  IF today.imports > imports_max THEN
    PERFORM settled.fail_quota(format('an athlete can import at most %s activities per day', imports_max),
      imports_max, now, zone);
  ELSIF count_import.bytes IS NOT NULL AND today.bytes > bytes_max THEN
    PERFORM settled.fail_quota(format('an athlete can import at most %s bytes per day', bytes_max),
      bytes_max, now, zone);
  END IF;
END
$$;

-- Counts an authorization code that an athlete has sent through the gateway, for the day, a date of racing.time_zone.
-- The caller has locked the athlete. SD429 `quota`: nothing of the code is stored. Source: Strava.docc/Tokens.md,
-- "Bad codes".
CREATE OR REPLACE FUNCTION racing.count_code(athlete_id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  zone text := settled.setting('racing.time_zone');
  codes_max bigint := settled.setting('racing.codes_a_day')::bigint;
  now timestamptz := settled.clock();
  sent integer;
BEGIN
  PERFORM settled.check_zone(zone);
  INSERT INTO racing.code_day AS d (athlete_id, day, codes)
    VALUES (count_code.athlete_id, settled.local_date(now, zone), 1)
  ON CONFLICT ON CONSTRAINT code_day_pkey DO UPDATE SET
    day = excluded.day,
    codes = CASE d.day WHEN excluded.day THEN d.codes ELSE 0 END + 1
  RETURNING d.codes INTO sent;
  IF sent > codes_max THEN
    PERFORM settled.fail_quota(format('an athlete can connect at most %s times per day', codes_max),
      codes_max, now, zone);
  END IF;
END
$$;
