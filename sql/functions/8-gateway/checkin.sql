-- Check-in: profiles and daily check-ins. Source: Gateway.docc/Systems.md, "Check-ins". checkin: the caller.

-- A profile in the format of auth/me. The email is absent if the person has no account.
CREATE OR REPLACE FUNCTION gateway.profile_shape(profile jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object('uid', profile -> 'userId', 'hasCompletedOnboarding', profile -> 'hasCompletedOnboarding',
      'profile', jsonb_build_object('timezone', profile -> 'timezone'))
    || coalesce((SELECT jsonb_build_object('email', a.email) FROM accounts.account AS a
      WHERE a.checkin_id = profile ->> 'userId'), '{}');
END
$$;

-- GET and POST auth/me: creates the profile if there is none.
CREATE OR REPLACE FUNCTION gateway.checkin_me(checkin text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_identity(checkin);
  RETURN gateway.profile_shape(checkins.profile(checkin));
EXCEPTION WHEN SQLSTATE 'SD404' THEN
  RETURN gateway.profile_shape(checkins.update_profile(checkin, '{}'));
END
$$;

-- PATCH auth/profile with {timezone}. Other keys of the app's profile are ignored.
CREATE OR REPLACE FUNCTION gateway.checkin_update_profile(checkin text, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_identity(checkin);
  PERFORM gateway.check_object(body);
  RETURN gateway.profile_shape(
    checkins.update_profile(checkin, jsonb_build_object('timezone', body -> 'timezone')));
END
$$;

-- POST onboarding/submit with {timezone? chronologicalAgeYears?}. The app can also send its onboarding answers, which
-- are not scored. Once an age is given, the response also contains the ages.
CREATE OR REPLACE FUNCTION gateway.checkin_onboard(checkin text, body jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  profile jsonb;
  state jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_identity(checkin);
  PERFORM gateway.check_object(coalesce(body, '{}'));
  IF jsonb_typeof(body -> 'timezone') NOT IN ('string', 'null') THEN
    PERFORM settled.refuse_key('timezone', 'a string', 'time-zone');
  ELSIF jsonb_typeof(body -> 'chronologicalAgeYears') NOT IN ('number', 'null') THEN
    PERFORM settled.refuse_key('chronologicalAgeYears', 'a number');
  END IF;
  profile := gateway.profile_shape(checkins.onboard(
    checkin, body ->> 'timezone', (nullif(body -> 'chronologicalAgeYears', 'null'))::numeric));
  state := checkins.only_state(checkin) -> 'state';
  RETURN profile || CASE WHEN state IS NULL THEN '{}' ELSE jsonb_build_object(
    'userId', checkin,
    'chronologicalAgeYears', state -> 'chronologicalAgeYears',
    'baselineBiologicalAgeYears', state -> 'baselineBiologicalAgeYears',
    'currentBiologicalAgeYears', state -> 'currentBiologicalAgeYears',
    'BAOYears', trim_scale((state -> 'baselineBiologicalAgeYears')::numeric - (state -> 'chronologicalAgeYears')::numeric),
    'totalScore', 0) END;
END
$$;

-- A response whose today, if present, has the fields that the app displays. The list of reasons is empty.
CREATE OR REPLACE FUNCTION gateway.with_day(answer jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE WHEN answer ? 'today' THEN answer || jsonb_build_object('today', (answer -> 'today') || jsonb_build_object(
    'deltaYears', checkins.delta_years((answer #> '{today,score}')::numeric), 'reasons', '[]'::jsonb)) ELSE answer END;
END
$$;

-- GET stats/summary. Without a check-in today, the today key is absent. Without an age, the state key is absent.
CREATE OR REPLACE FUNCTION gateway.checkin_summary(checkin text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_identity(checkin);
  RETURN gateway.with_day(checkins.summary(checkin)) || (checkins.profile(checkin) - 'timezone') || checkins.age(checkin);
END
$$;

-- POST age/daily-update with {metrics}, or with the metrics themselves. A second check-in on the same day is SD409
-- `already-checked-in`, whose DETAIL has the day as dateKey.
CREATE OR REPLACE FUNCTION gateway.checkin_submit(checkin text, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  refusal jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_identity(checkin);
  PERFORM gateway.check_object(body);
  IF body ? 'metrics' THEN
    PERFORM settled.check_keys(body, '{metrics,date}', 'body');
    body := body -> 'metrics';
  END IF;
  RETURN gateway.with_day(checkins.submit(checkin, body));
EXCEPTION WHEN SQLSTATE 'SD409' THEN
  GET STACKED DIAGNOSTICS refusal = PG_EXCEPTION_DETAIL;
  PERFORM settled.fail('SD409', refusal ->> 'rule', SQLERRM, jsonb_build_object('dateKey', refusal -> 'date'));
  RETURN NULL;
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{checkin_me, checkin_update_profile, checkin_onboard, checkin_summary, checkin_submit}');
