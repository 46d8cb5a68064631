-- Streaks (CheckIns.docc/Streaks.md): what follows from the last entry, the zone and the dates that were jumped over.

-- The date whose end without an entry ends a streak: the first after its last one that is neither bridged nor missing
-- in the zone since it came to hold. The streak lives as long as today is not later.
CREATE OR REPLACE FUNCTION checkins.end_of_streak(last_on date, bridged datemultirange, zone text, zone_since date)
RETURNS date
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  day date := last_on + 1;
BEGIN
  WHILE bridged @> day OR (day > zone_since AND settled.day_start(day, zone) IS NULL) LOOP
    day := day + 1;
  END LOOP;
  RETURN day;
END
$$;

-- The bridged dates when a person goes from one zone to another, with their dates there: those that were bridged, those
-- that the old zone skipped, and one that lies strictly between the two. Empty once a gap is too old for the streak to
-- live again: zones are never more than two dates apart.
CREATE OR REPLACE FUNCTION checkins.bridges(
  last_on date, bridged datemultirange, old_zone text, zone_since date, old_date date, new_date date)
RETURNS datemultirange
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  day date := last_on + 1;
BEGIN
  WHILE day < old_date LOOP
    IF bridged @> day THEN
      NULL;
    ELSIF day > zone_since AND settled.day_start(day, old_zone) IS NULL THEN
      bridged := bridged + datemultirange(daterange(day, day + 1));
    ELSIF day < old_date - 3 THEN
      RETURN '{}'::datemultirange;
    END IF;
    day := day + 1;
  END LOOP;
  IF new_date > old_date + 1 THEN
    bridged := bridged + datemultirange(daterange(old_date + 1, old_date + 2));
  END IF;
  RETURN bridged * datemultirange(daterange(last_on + 1, NULL));
END
$$;

-- The streak as the contract shows it.
CREATE OR REPLACE FUNCTION checkins.streak_json(p checkins.profile, s checkins.streak, today date)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'current', CASE WHEN s.last_on = today OR s.id IS NOT NULL AND checkins.end_of_streak(s.last_on, p.bridged,
      coalesce(p.time_zone, 'UTC'), p.zone_since) >= today THEN s.length ELSE 0 END,
    'longest', p.longest_streak,
    'lastDate', to_char(s.last_on, 'YYYY-MM-DD'));
END
$$;
