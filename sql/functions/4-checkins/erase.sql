-- Erases a person's check-ins and streaks. Keeps the profile and resets it to the state of a new one.
CREATE OR REPLACE FUNCTION checkins.erase_profile(user_id text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
  entries bigint;
  streaks bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = erase_profile.user_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'checkin', 'there is no such check-in profile');
  END IF;
  UPDATE checkins.profile AS x SET streak_id = NULL, longest_streak = 0, bridged = '{}',
      chronological_age_years = NULL, delta_years = 0, rejuvenation_days = 0, acceleration_days = 0, trend_days = 0
    WHERE x.id = p.id;
  DELETE FROM checkins.streak AS s WHERE s.profile_id = p.id;
  GET DIAGNOSTICS streaks = ROW_COUNT;
  DELETE FROM checkins.entry AS e WHERE e.profile_id = p.id;
  GET DIAGNOSTICS entries = ROW_COUNT;
  RETURN jsonb_build_object('erased', jsonb_build_object('checkIns', entries, 'streaks', streaks),
    'kept', jsonb_build_array('ids', 'the time zone', 'daily totals'));
END
$$;

SELECT settled.declare_callers('checkins', daemon => '{erase_profile}', fixed => '{erase_profile}');
