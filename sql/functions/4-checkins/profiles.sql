-- Profiles: the people who check in, and their time zones.

CREATE OR REPLACE FUNCTION checkins.check_zone(time_zone text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF time_zone IS NOT NULL AND NOT EXISTS (SELECT FROM settled.time_zone AS z WHERE z.name = time_zone) THEN
    PERFORM settled.fail('SD400', 'time-zone', 'the time zone must be an IANA name such as Europe/Istanbul, or UTC');
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION checkins.profile_json(p checkins.profile)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object('userId', p.user_id, 'timezone', p.time_zone, 'hasCompletedOnboarding', p.is_onboarded)
$$;

-- Moves a person to another time zone. The caller has locked the profile. If the streak is still alive in the new zone,
-- it is registered for that zone's days. If the day in its old zone has already ended it, it stays ended, and a copy of
-- it continues (flying back repeats the date). If it is not alive in the new zone, it stays in the old zone, where the
-- closing of the day ends it. If the server no longer has the old zone, UTC is used in its place.
CREATE OR REPLACE FUNCTION checkins.move(p checkins.profile, new_zone text)
RETURNS checkins.profile
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  old_zone text := coalesce(p.time_zone, 'UTC');
  s checkins.streak;
  now timestamptz;
  new_date date;
  new_end date;
BEGIN
  p.time_zone := new_zone;
  IF new_zone = old_zone THEN
    RETURN p;
  END IF;
  SELECT x.* INTO s FROM checkins.streak AS x WHERE x.id = p.streak_id;
  old_zone := CASE WHEN settled.knows_zone(old_zone) THEN old_zone ELSE 'UTC' END;
  s.zone := CASE WHEN s.zone IS NULL OR settled.knows_zone(s.zone) THEN s.zone ELSE 'UTC' END;
  LOOP
    now := (checkins.hold_days(array_remove(ARRAY[old_zone, new_zone, s.zone], NULL))).now;
    EXIT WHEN checkins.use_zone(new_zone, now);
  END LOOP;
  new_date := checkins.local_date(now, new_zone);
  IF s.id IS NOT NULL THEN
    p.bridged := checkins.bridges(
      s.last_on, p.bridged, old_zone, p.zone_since, checkins.local_date(now, old_zone), new_date);
    new_end := checkins.end_of_streak(s.last_on, p.bridged, new_zone, new_date);
    IF new_end >= new_date THEN
      UPDATE checkins.streak AS x SET zone = new_zone, ends_on = new_end
        WHERE x.id = s.id AND x.ended_at IS NULL AND checkins.local_date(now, s.zone) <= x.ends_on;
      IF NOT FOUND THEN
        INSERT INTO checkins.streak (profile_id, zone, started_on, last_on, length, ends_on)
          VALUES (p.id, new_zone, s.started_on, s.last_on, s.length, new_end) RETURNING id INTO p.streak_id;
      END IF;
    END IF;
  END IF;
  p.zone_since := new_date;
  RETURN p;
END
$$;

-- Creates the profile, or changes the given values. Null values change nothing. Returns the profile in the format of
-- checkins.profile.
DROP FUNCTION IF EXISTS checkins.keep_profile(text, text, boolean);
CREATE OR REPLACE FUNCTION checkins.keep_profile(
  user_id text, time_zone text, onboards boolean, chronological_age_years numeric DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
  zone text := coalesce(time_zone, 'UTC');
  held record;
BEGIN
  LOOP
    SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = keep_profile.user_id FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    held := checkins.hold_days(ARRAY[zone]);
    INSERT INTO checkins.profile AS x (user_id, time_zone, is_onboarded, created_at, zone_since, chronological_age_years)
      VALUES (user_id, time_zone, onboards, held.now, held.days[1], chronological_age_years)
    ON CONFLICT ON CONSTRAINT profile_user DO NOTHING RETURNING x.* INTO p;
    IF FOUND THEN
      PERFORM checkins.use_zone(zone, held.now);
      RETURN checkins.profile_json(p);
    END IF;
  END LOOP;
  IF time_zone IS DISTINCT FROM p.time_zone AND time_zone IS NOT NULL THEN
    p := checkins.move(p, time_zone);
  ELSIF (p.is_onboarded OR NOT onboards) AND chronological_age_years IS NULL THEN
    RETURN checkins.profile_json(p);
  END IF;
  UPDATE checkins.profile AS x SET time_zone = p.time_zone, zone_since = p.zone_since, bridged = p.bridged,
      streak_id = p.streak_id, is_onboarded = x.is_onboarded OR onboards,
      chronological_age_years = coalesce(keep_profile.chronological_age_years, x.chronological_age_years)
    WHERE x.id = p.id RETURNING x.* INTO p;
  RETURN checkins.profile_json(p);
END
$$;

DROP FUNCTION IF EXISTS checkins.onboard(text, text);
CREATE OR REPLACE FUNCTION checkins.onboard(
  user_id text, time_zone text DEFAULT NULL, chronological_age_years numeric DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  PERFORM checkins.check_zone(time_zone);
  PERFORM checkins.check_age(chronological_age_years);
  RETURN checkins.keep_profile(user_id, time_zone, true, chronological_age_years);
END
$$;
COMMENT ON FUNCTION checkins.onboard(text, text, numeric) IS
$$Completes a person's onboarding. A later call changes only the values that it contains.
user_id: 1 to 10,000 characters, the app's id for the person.
time_zone: an IANA name such as Europe/Istanbul, or UTC; null: unchanged, UTC for a new person.
chronological_age_years (years): 0 to 150, with at most 20 decimal places; null: unchanged.
Returns userId, timezone and hasCompletedOnboarding.
Refuses: SD400 chronological-age-years, isolation, time-zone, user-id.
Example: SELECT checkins.onboard(user_id => 'cleo', time_zone => 'Europe/London', chronological_age_years => 34.5)$$;

CREATE OR REPLACE FUNCTION checkins.update_profile(user_id text, profile jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  PERFORM settled.check_keys(profile, '{timezone}', 'profile');
  IF jsonb_typeof(profile -> 'timezone') NOT IN ('string', 'null') THEN
    PERFORM settled.refuse_key('timezone', 'a string', 'time-zone');
  END IF;
  PERFORM checkins.check_zone(profile ->> 'timezone');
  RETURN checkins.keep_profile(user_id, profile ->> 'timezone', false);
END
$$;
COMMENT ON FUNCTION checkins.update_profile(text, jsonb) IS
$$Changes a person's time zone. The call does not complete a new person's onboarding.
user_id: 1 to 10,000 characters, the app's id for the person.
profile: a JSON object.
  timezone (text, optional): an IANA name such as Europe/Istanbul, or UTC; absent or null: unchanged.
Returns userId, timezone and hasCompletedOnboarding.
Refuses: SD400 isolation, key, profile, time-zone, user-id.
Example: SELECT checkins.update_profile(user_id => 'ann', profile => '{"timezone": "Asia/Tokyo"}')$$;

CREATE OR REPLACE FUNCTION checkins.profile(user_id text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p checkins.profile;
BEGIN
  PERFORM settled.check_text(user_id, 'user-id', min => 1);
  SELECT x.* INTO p FROM checkins.profile AS x WHERE x.user_id = profile.user_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'profile', 'there is no such profile');
  END IF;
  RETURN checkins.profile_json(p);
END
$$;
COMMENT ON FUNCTION checkins.profile(text) IS
$$Retrieves a person's profile.
Returns userId, timezone (null if none was given) and hasCompletedOnboarding.
Refuses: SD400 user-id; SD404 profile.
Example: SELECT checkins.profile(user_id => 'ann')$$;

SELECT settled.declare_callers('checkins', contract => '{onboard, update_profile, profile}');
