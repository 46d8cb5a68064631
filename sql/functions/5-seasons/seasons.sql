-- Seasons, and the names that callers use for them.

CREATE OR REPLACE FUNCTION seasons.check_season(season text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF season IS NULL OR season NOT IN ('xc', 'track') THEN
    PERFORM settled.fail('SD400', 'season', 'season must be xc or track');
  END IF;
END
$$;

-- Converts a year with four digits to a number.
CREATE OR REPLACE FUNCTION seasons.parse_year(year text)
RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF year IS NULL OR year !~ '^[0-9]{4}$' THEN
    PERFORM settled.fail('SD400', 'year', 'year must have four digits');
  END IF;
  RETURN year::integer;
END
$$;

-- A year as returned in responses, which is always text.
CREATE OR REPLACE FUNCTION seasons.year_text(year integer)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN lpad(year::text, 4, '0');
END
$$;

CREATE OR REPLACE FUNCTION seasons.season_of(at timestamptz)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  zone text := settled.setting('seasons.time_zone');
  local date;
  day text;
BEGIN
  PERFORM settled.check_instant(at, 'at');
  PERFORM settled.check_zone(zone);
  local := settled.local_date(at, zone);
  day := to_char(local, 'MM-DD');
  RETURN jsonb_build_object(
    'season', CASE WHEN day BETWEEN '06-02' AND '11-17' THEN 'xc' ELSE 'track' END,
    'year', seasons.year_text(extract(year FROM local)::integer - CASE WHEN day < '06-02' THEN 1 ELSE 0 END));
END
$$;
COMMENT ON FUNCTION seasons.season_of(timestamp with time zone) IS
$$Finds the season of an instant in the time zone set by seasons.time_zone.
at: an instant from 1900 to 2200.
Returns season (xc from 2 June to 17 November, otherwise track) and year. A track season's year is the year in
    which it starts.
Refuses: SD400 at, time-zone (seasons.time_zone is not a known time zone).
Example: SELECT seasons.season_of(at => '2031-09-01 12:00Z')$$;

SELECT settled.declare_callers('seasons', contract => '{season_of}', daemon => '{year_text}');
