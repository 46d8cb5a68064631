-- Biological age (CheckIns.docc/Age.md): how check-in scores change it.

-- The change in biological age for a day's score, in years.
CREATE OR REPLACE FUNCTION checkins.delta_years(score numeric)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN trim_scale(round(greatest(-0.3, least(0.3, -0.03 * score)), 2));
END
$$;

-- A new entry updates the totals of its profile, whichever release writes it. checkins.submit updates the totals
-- together with the streak, so the trigger skips its entries.
CREATE OR REPLACE FUNCTION checkins.count_day()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  delta CONSTANT numeric := checkins.delta_years(NEW.score);
BEGIN
  UPDATE checkins.profile AS p SET
      delta_years = p.delta_years + delta, trend_days = sign(delta)::integer
        + CASE WHEN p.trend_days * delta > 0 AND EXISTS (
          SELECT FROM checkins.entry AS e WHERE e.profile_id = p.id AND e.date = NEW.date - 1)
        THEN p.trend_days ELSE 0 END,
      rejuvenation_days = p.rejuvenation_days + (delta < 0)::integer,
      acceleration_days = p.acceleration_days + (delta > 0)::integer
    WHERE p.id = NEW.profile_id;
  RETURN NULL;
END
$$;

-- The age as given. Null if none was given. At most 20 decimal places, which bounds the number's length.
CREATE OR REPLACE FUNCTION checkins.check_age(chronological_age_years numeric)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF chronological_age_years NOT BETWEEN 0 AND 150 OR scale(chronological_age_years) > 20 THEN
    PERFORM settled.fail('SD400', 'chronological-age-years',
      'the chronological age must be a number of years from 0 to 150, with at most 20 decimal places');
  END IF;
END
$$;

-- A person's state. Null until the chronological age is given. That age is the baseline; onboarding answers are not
-- scored.
CREATE OR REPLACE FUNCTION checkins.age_state(p checkins.profile, last_on date, today date)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  baseline CONSTANT numeric := p.chronological_age_years;
  trend CONSTANT integer := CASE WHEN last_on >= today - 1 THEN p.trend_days ELSE 0 END;
BEGIN
  RETURN CASE WHEN baseline IS NOT NULL THEN jsonb_build_object(
    'chronologicalAgeYears', p.chronological_age_years,
    'baselineBiologicalAgeYears', baseline,
    'currentBiologicalAgeYears', trim_scale(baseline + p.delta_years),
    'agingDebtYears', trim_scale(baseline + p.delta_years - p.chronological_age_years),
    'rejuvenationStreakDays', greatest(-trend, 0), 'accelerationStreakDays', greatest(trend, 0),
    'totalRejuvenationDays', p.rejuvenation_days, 'totalAccelerationDays', p.acceleration_days) END;
END
$$;

-- A person's dates: the last entry's date and today, which is never before that date.
CREATE OR REPLACE FUNCTION checkins.dates_of(p checkins.profile, OUT last_on date, OUT today date)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_zone(coalesce(p.time_zone, 'UTC'));
  last_on := (SELECT s.last_on FROM checkins.streak AS s WHERE s.id = p.streak_id);
  today := greatest(checkins.local_date(settled.clock(), coalesce(p.time_zone, 'UTC')), last_on);
END
$$;

-- {state} in the format of checkins.age, or {}.
CREATE OR REPLACE FUNCTION checkins.only_state(user_id text)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
  dates record;
BEGIN
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = only_state.user_id;
  dates := checkins.dates_of(p);
  RETURN jsonb_strip_nulls(jsonb_build_object('state', checkins.age_state(p, dates.last_on, dates.today)));
END
$$;

CREATE OR REPLACE FUNCTION checkins.age(user_id text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
  dates record;
BEGIN
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = age.user_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'profile', 'there is no such profile');
  END IF;
  dates := checkins.dates_of(p);
  RETURN (
    SELECT jsonb_strip_nulls(jsonb_build_object(
      'state', checkins.age_state(p, dates.last_on, dates.today),
      'weeklyHistory', coalesce(jsonb_agg(d.shown ORDER BY d.date) FILTER (WHERE d.date > dates.today - 7), '[]'),
      'monthlyHistory', coalesce(jsonb_agg(d.shown ORDER BY d.date) FILTER (WHERE d.date > dates.today - 30), '[]'),
      'yearlyHistory', coalesce(jsonb_agg(d.shown ORDER BY d.date), '[]')))
    FROM (
      SELECT e.date, jsonb_build_object(
        'date', to_char(e.date, 'YYYY-MM-DD'),
        'biologicalAgeYears', trim_scale(p.chronological_age_years + p.delta_years - coalesce(sum(e.delta) OVER later, 0)),
        'deltaYears', e.delta, 'score', trim_scale(e.score)) AS shown
      FROM (
        SELECT x.date, x.score, checkins.delta_years(x.score) AS delta
        FROM checkins.entry AS x
        WHERE x.profile_id = p.id AND x.date > dates.today - 365 AND x.date <= dates.today
      ) AS e
      WINDOW later AS (ORDER BY e.date DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS d);
END
$$;
COMMENT ON FUNCTION checkins.age(text) IS
$$Calculates how check-ins change a person's biological age.
Returns state, weeklyHistory, monthlyHistory and yearlyHistory. Each history has date, biologicalAgeYears, deltaYears
    and score for each day, oldest first. state and biologicalAgeYears require the chronological age. state has ages and
    agingDebtYears in years, streaks and totals in days.
Refuses: SD400 time-zone (the server no longer has the time zone), user-id; SD404 profile.
Example: SELECT checkins.age(user_id => 'bea')$$;

SELECT settled.declare_callers('checkins', contract => '{age}');
