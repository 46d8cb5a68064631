-- The fee for entering, in pence. It goes by duration, for special races too.
CREATE OR REPLACE FUNCTION racing.entry_fee_pence(duration text)
RETURNS bigint
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE duration WHEN 'daily' THEN 100 WHEN 'weekly' THEN 499 WHEN 'monthly' THEN 1599 END::bigint
$$;

-- Writes a race with a snapshot of the settings in force: a later change does not touch it. The one way in which races
-- are made. Null where there is one of this type, duration, category and start, or the regular race of this date. A
-- race with the window of a regular one is that one.
CREATE OR REPLACE FUNCTION racing.insert_race(
  type text, duration text, category text, starts_at timestamptz, ends_at timestamptz, now timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  due timestamptz := ends_at + settled.setting_span('racing.results_grace');
  zone text := settled.setting('racing.time_zone');
  is_regular boolean := settled.knows_zone(zone) AND EXISTS (
    SELECT FROM racing.calendar_periods(duration, zone, starts_at, starts_at) AS p
    WHERE p.starts_at = insert_race.starts_at AND p.ends_at = insert_race.ends_at);
  new_id bigint;
BEGIN
  INSERT INTO racing.race (type, duration, category, starts_at, ends_at, local_date, local_zone, due_at,
      entry_fee_pence, platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, next_check_at, created_at)
    VALUES (type, duration, category, starts_at, ends_at,
      CASE WHEN is_regular THEN settled.local_date(starts_at, zone) END, CASE WHEN is_regular THEN zone END, due,
      racing.entry_fee_pence(duration),
      settled.setting('racing.platform_fee_percent')::numeric,
      string_to_array(settled.setting('racing.prize_shares'), ',')::integer[],
      settled.setting_span('racing.entry_cutoff'), settled.setting_span('racing.review_hold'),
      CASE WHEN starts_at <= now THEN 'active' ELSE 'upcoming' END, due, now)
    ON CONFLICT DO NOTHING
    RETURNING id INTO new_id;
  RETURN new_id;
END
$$;

CREATE OR REPLACE FUNCTION racing.create_race(
  type text, duration text, category text, starts_at timestamptz, ends_at timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz;
  new_id bigint;
BEGIN
  PERFORM settled.check_writer();
  IF type IS NULL OR type NOT IN ('top_speed', 'furthest_distance', 'fastest_1km', 'fastest_5km') THEN
    PERFORM settled.fail('SD400', 'type', 'there is no such race type');
  END IF;
  IF duration IS NULL OR duration NOT IN ('daily', 'weekly', 'monthly') THEN
    PERFORM settled.fail('SD400', 'duration', 'the duration must be daily, weekly or monthly');
  END IF;
  IF category IS NULL OR category NOT IN ('junior_girls', 'junior_boys', 'women_u23', 'men_u23',
    'senior_women', 'senior_men', 'masters_women', 'masters_men')
  THEN
    PERFORM settled.fail('SD400', 'category', 'there is no such category');
  END IF;
  PERFORM settled.check_instant(starts_at, 'starts-at');
  PERFORM settled.check_instant(ends_at, 'ends-at');
  now := settled.clock();
  IF ends_at <= starts_at THEN
    PERFORM settled.fail('SD400', 'ends-at', 'a race must end after it starts');
  ELSIF ends_at <= now THEN
    PERFORM settled.fail('SD400', 'ends-at', 'a race must end in the future');
  END IF;
  new_id := racing.insert_race(type, duration, category, starts_at, ends_at, now);
  IF new_id IS NULL THEN
    PERFORM settled.fail('SD409', 'race', 'a race with this type, duration, category and start or date already exists');
  END IF;
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION racing.create_race(text, text, text, timestamp with time zone, timestamp with time zone) IS
$$Creates a special race, or a regular race that the calendar has not created yet.
type: top_speed, furthest_distance, fastest_1km or fastest_5km.
duration: daily, weekly or monthly; it determines the entry fee.
category: junior_girls, junior_boys, women_u23, men_u23, senior_women, senior_men, masters_women or
    masters_men.
starts_at: the start of the window, which can be in the past.
ends_at: the end of the window, after the start and in the future.
Returns the race's id.
Refuses: SD400 category, duration, ends-at, isolation, starts-at, type; SD409 race (a race with this type,
    duration, category and start or date already exists).
Example: SELECT racing.create_race(type => 'fastest_1km', duration => 'weekly', category => 'senior_women',
    starts_at => '2031-07-07 00:00Z', ends_at => '2031-07-14 00:00Z')$$;

SELECT settled.declare_callers('racing',
  contract => '{create_race}',
  daemon => '{entry_fee_pence, insert_race, create_race}');
