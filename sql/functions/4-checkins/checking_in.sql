-- Checking in, and what the app displays about it. Both use the same date for today: the later of the zone's current
-- date and the last entry's date.

-- The lock on the profile serialises calls from two devices. The day is locked so that its totals include the check-in.
CREATE OR REPLACE FUNCTION checkins.submit(user_id text, metrics jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  score numeric;
  delta numeric;
  p checkins.profile;
  s checkins.streak;
  zone text;
  held record;
  today date;
  goes_on boolean;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  score := checkins.score(metrics);
  delta := checkins.delta_years(score);
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = submit.user_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'profile', 'there is no such profile');
  ELSIF NOT p.is_onboarded THEN
    PERFORM settled.fail('SD404', 'onboarding', 'onboarding is not complete');
  END IF;
  zone := coalesce(p.time_zone, 'UTC');
  held := checkins.hold_days(ARRAY[zone]);
  SELECT x.* INTO s FROM checkins.streak AS x WHERE x.id = p.streak_id;
  today := greatest(held.days[1], s.last_on);
  IF s.last_on = today THEN
    PERFORM settled.fail('SD409', 'already-checked-in', 'today''s check-in is already completed',
      jsonb_build_object('date', to_char(today, 'YYYY-MM-DD')));
  END IF;
  -- The totals are written with the streak, below.
  PERFORM set_config('checkins.counts_day', 'on', true);
  INSERT INTO checkins.entry (profile_id, date, zone, score, metrics, checked_in_at)
    VALUES (p.id, today, zone, score, metrics - 'date', held.now);

  goes_on := s.id IS NOT NULL AND checkins.end_of_streak(s.last_on, p.bridged, zone, p.zone_since) >= today;
  p.bridged := p.bridged * datemultirange(daterange(today + 1, NULL));
  s.started_on := CASE WHEN goes_on THEN s.started_on ELSE today END;
  s.length := CASE WHEN goes_on THEN s.length + 1 ELSE 1 END;
  s.last_on := today;
  s.ends_on := checkins.end_of_streak(today, p.bridged, zone, p.zone_since);
  IF goes_on THEN
    UPDATE checkins.streak AS x SET last_on = s.last_on, length = s.length, ends_on = s.ends_on
      WHERE x.id = s.id AND x.ended_at IS NULL;
  END IF;
  IF NOT goes_on OR NOT FOUND THEN
    INSERT INTO checkins.streak AS x (profile_id, zone, started_on, last_on, length, ends_on)
      VALUES (p.id, zone, s.started_on, s.last_on, s.length, s.ends_on) RETURNING x.id INTO s.id;
  END IF;
  p.longest_streak := greatest(p.longest_streak, s.length);
  UPDATE checkins.profile AS x SET streak_id = s.id, longest_streak = p.longest_streak, bridged = p.bridged,
      delta_years = x.delta_years + delta, trend_days = sign(delta)::integer
        + CASE WHEN x.trend_days * delta > 0 AND EXISTS (
          SELECT FROM checkins.entry AS e WHERE e.profile_id = x.id AND e.date = today - 1)
        THEN x.trend_days ELSE 0 END,
      rejuvenation_days = x.rejuvenation_days + (delta < 0)::integer,
      acceleration_days = x.acceleration_days + (delta > 0)::integer
    WHERE x.id = p.id RETURNING x.* INTO p;
  INSERT INTO checkins.tally AS t (zone, date, shard, checked_in) VALUES (zone, today, pg_backend_pid() % 32, 1)
    ON CONFLICT ON CONSTRAINT tally_once DO UPDATE SET checked_in = t.checked_in + 1;
  RETURN jsonb_build_object(
      'today', jsonb_build_object('date', to_char(today, 'YYYY-MM-DD'), 'score', trim_scale(score)),
      'streak', checkins.streak_json(p, s, today))
    || CASE WHEN p.chronological_age_years IS NULL THEN '{}'
      ELSE jsonb_build_object('state', checkins.age_state(p, today, today)) END;
END
$$;
COMMENT ON FUNCTION checkins.submit(text, jsonb) IS
$$Records a person's check-in for the current date in the person's time zone.
metrics: a JSON object. All keys except date are required.
  sleepHours (number): 0 to 24.
  steps (whole number): 0 to 200,000.
  vigorousMinutes (whole number): 0 to 1,440.
  processedFoodScore (number): 0 to 10.
  alcoholUnits (number): 0 to 100.
  stressLevel (number): 0 to 10.
  lateCaffeine (boolean): whether the person had caffeine late in the day.
  screenLate (boolean): whether the person used a screen late in the day.
  bedtimeHour (number): 0 to 30; 25 is 1 a.m. the next day.
  date (any, optional): ignored.
Returns today (date and score), streak (current, longest and lastDate) and, with a chronological age, state as in
    checkins.age. score: -11 to 9, in steps of 0.5.
Refuses: SD400 alcohol-units, bedtime-hour, isolation, key, late-caffeine, metrics, processed-food-score, screen-late,
    sleep-hours, steps, stress-level, time-zone (the server no longer has the time zone), user-id, vigorous-minutes;
    SD404 onboarding, profile; SD409 already-checked-in (DETAIL has date).
Example: SELECT checkins.submit(user_id => 'ann', metrics => '{"sleepHours": 7.5, "steps": 9000, "vigorousMinutes": 25,
    "processedFoodScore": 3, "alcoholUnits": 0, "stressLevel": 4, "lateCaffeine": false, "screenLate": true,
    "bedtimeHour": 23}')$$;

-- Computed from the entries and the last streak, so the result is current regardless of when the last day was closed.
CREATE OR REPLACE FUNCTION checkins.summary(user_id text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
  s checkins.streak;
  today date;
  shown jsonb;
BEGIN
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = summary.user_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'profile', 'there is no such profile');
  END IF;
  PERFORM settled.check_zone(coalesce(p.time_zone, 'UTC'));
  SELECT x.* INTO s FROM checkins.streak AS x WHERE x.id = p.streak_id;
  today := greatest(checkins.local_date(settled.clock(), coalesce(p.time_zone, 'UTC')), s.last_on);
  SELECT jsonb_build_object(
      'today', jsonb_agg(e.shown) FILTER (WHERE e.date = today) -> 0,
      'streak', checkins.streak_json(p, s, today),
      'history', jsonb_build_object(
        'days14', coalesce(jsonb_agg(e.shown ORDER BY e.date) FILTER (WHERE e.date > today - 14), '[]'),
        'days60', coalesce(jsonb_agg(e.shown ORDER BY e.date) FILTER (WHERE e.date > today - 60), '[]'),
        'days365', coalesce(jsonb_agg(e.shown ORDER BY e.date), '[]')))
    INTO shown
    FROM (
      SELECT x.date, jsonb_build_object('date', to_char(x.date, 'YYYY-MM-DD'), 'score', trim_scale(x.score)) AS shown
      FROM checkins.entry AS x WHERE x.profile_id = p.id AND x.date > today - 365 AND x.date <= today
    ) AS e;
  RETURN CASE WHEN s.last_on = today THEN shown ELSE shown - 'today' END;
END
$$;
COMMENT ON FUNCTION checkins.summary(text) IS
$$Retrieves a person's check-ins and streak.
Returns streak (current, longest and lastDate) and history with days14, days60 and days365: date and score for each day,
    oldest first. today (date and score) is present once the person has checked in today.
Refuses: SD400 time-zone (the server no longer has the time zone), user-id; SD404 profile.
Example: SELECT checkins.summary(user_id => 'bea')$$;

SELECT settled.declare_callers('checkins', contract => '{submit, summary}');
