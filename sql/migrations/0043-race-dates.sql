-- The date of a regular race. New tz data or another rule can move the midnights of a date: the race that has the date
-- keeps it, with its window. Special races have none. Of two races of one date the first has it.
ALTER TABLE racing.race ADD COLUMN local_date date, ADD COLUMN local_zone text COLLATE "C",
  ADD CONSTRAINT race_date CHECK ((local_date IS NULL) = (local_zone IS NULL));

COMMENT ON COLUMN racing.race.local_date IS
  'The first date of a regular race''s window by the calendar of local_zone; null for a special race.';
COMMENT ON COLUMN racing.race.local_zone IS 'racing.time_zone when the regular race was made.';

-- Only races that the calendar could make a second time.
WITH zone AS (
  SELECT z.name FROM settled.setting AS s JOIN pg_timezone_names AS z ON z.name = coalesce(s.value, s.default_value)
  WHERE s.key = 'racing.time_zone'
), local AS (
  SELECT r.id, r.type, r.duration, r.category, z.name, r.starts_at AT TIME ZONE z.name AS starts,
    r.ends_at AT TIME ZONE z.name AS ends,
    CASE r.duration WHEN 'daily' THEN 'day' WHEN 'weekly' THEN 'week' ELSE 'month' END AS unit
  FROM racing.race AS r CROSS JOIN zone AS z WHERE r.status IN ('upcoming', 'active')
), regular AS (
  SELECT DISTINCT ON (l.type, l.duration, l.category, l.starts) l.id, l.name, l.starts::date AS day FROM local AS l
  WHERE l.starts = date_trunc(l.unit, l.starts) AND l.ends = l.starts + ('1 ' || l.unit)::interval
  ORDER BY l.type, l.duration, l.category, l.starts, l.id
)
UPDATE racing.race AS r SET local_date = g.day, local_zone = g.name FROM regular AS g WHERE g.id = r.id;

ALTER TABLE racing.race
  ADD CONSTRAINT race_once_a_date UNIQUE (type, duration, category, local_zone, local_date);
