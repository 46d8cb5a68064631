-- Racepace: users and their connection. Source: Gateway.docc/Systems.md, "Racing".

-- The app's Wallet. Its id is the athlete's id.
CREATE OR REPLACE FUNCTION gateway.wallet_shape(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wallet jsonb := racing.wallet(athlete_id);
BEGIN
  RETURN jsonb_build_object('id', athlete_id::text, 'userId', athlete_id::text,
    'balance', trim_scale((wallet ->> 'balancePence')::numeric * 0.01),
    'withdrawable', trim_scale((wallet ->> 'withdrawablePence')::numeric * 0.01),
    'resting', trim_scale((wallet ->> 'restingPence')::numeric * 0.01), 'autoPayoutEnabled', false, 'payoutDetails', NULL,
    'createdAt', gateway.seconds(wallet ->> 'createdAt'), 'updatedAt', gateway.seconds(wallet ->> 'updatedAt'));
END
$$;

-- The app's User, for its owner. stravaConnection is present while the athlete has a token that has not expired. The
-- token itself is included if racing.proof is off, or if operators have enabled it: calls with it count against the
-- application's limit, which the results need.
CREATE OR REPLACE FUNCTION gateway.user_shape(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a jsonb := racing.athlete(athlete_id);
  token jsonb;
BEGIN
  IF a -> 'strava' <> 'null' THEN
    token := strava.access_token(athlete_id);
  END IF;
  RETURN jsonb_build_object(
    'id', athlete_id::text,
    'email', coalesce((SELECT x.email FROM accounts.account AS x WHERE x.athlete_id = user_shape.athlete_id), ''),
    'displayName', a -> 'displayName',
    'userType', a -> 'userType',
    'createdAt', gateway.seconds(a ->> 'createdAt'),
    'updatedAt', gateway.seconds(a ->> 'updatedAt'),
    'dateOfBirth', (a ->> 'dateOfBirth') || 'T00:00:00Z',
    'gender', a -> 'gender',
    'profileImageURL', NULL,
    'stravaConnection', CASE WHEN token ->> 'accessToken' IS NOT NULL THEN jsonb_build_object(
      'athleteId', token -> 'stravaAthleteId', 'accessToken', CASE
        WHEN settled.setting('racing.proof') = 'off' OR settled.setting('racing.show_access_token') = 'on'
          THEN token ->> 'accessToken' ELSE '' END,
      'refreshToken', '',
      'expiresAt', gateway.seconds(token ->> 'expiresAt')) END,
    'strava', coalesce(nullif(a -> 'strava', 'null'), '{"status": null, "missingScopes": []}'),
    'wallet', gateway.wallet_shape(athlete_id));
END
$$;

-- GET users/:id
CREATE OR REPLACE FUNCTION gateway.racepace_user(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  RETURN gateway.user_shape(athlete_id);
END
$$;

-- The app's User for an account without an athlete: a spectator without a wallet, with an id that no athlete has.
CREATE OR REPLACE FUNCTION gateway.account_shape(account_id bigint)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object(
    'id', 'account-' || a.id, 'email', a.email, 'displayName', a.display_name, 'userType', 'spectator',
    'createdAt', gateway.seconds(settled.iso(a.created_at)), 'updatedAt', gateway.seconds(settled.iso(a.created_at)),
    'dateOfBirth', NULL, 'gender', NULL, 'profileImageURL', NULL, 'stravaConnection', NULL,
    'strava', '{"status": null, "missingScopes": []}'::jsonb, 'wallet', NULL)
  FROM accounts.account AS a WHERE a.id = account_id
$$;

-- The response of auth/login and auth/validate, without the token: {identity, user}.
CREATE OR REPLACE FUNCTION gateway.racepace_session(account_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  identity jsonb := gateway.identity(account_id);
  athlete bigint := (identity ->> 'athlete')::bigint;
BEGIN
  RETURN jsonb_build_object('identity', identity,
    'user', CASE WHEN athlete IS NULL THEN gateway.account_shape(account_id) ELSE gateway.user_shape(athlete) END);
END
$$;

-- The date of birth that an app means, as YYYY-MM-DD. A plain date is used as it is, and midnight UTC means that date.
-- Midnight in racing's time zone means that zone's date, because Swift sends a date in the phone's calendar this way.
-- Any other whole quarter of an hour is midnight in some other zone and means the nearest UTC date, or the later one of
-- two. SD400 `date-of-birth`: any other value.
CREATE OR REPLACE FUNCTION gateway.birth_date(given text)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  day constant interval := interval '24 hours';
  zone text;
  instant timestamp;     -- on a clock in UTC
  local timestamp;
BEGIN
  IF given IS NULL OR given ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
    RETURN given;
  ELSIF given ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):(00|15|30|45):00([.]0{1,9})?Z$' THEN
    BEGIN
      instant := make_timestamp(left(given, 4)::integer, substr(given, 6, 2)::integer, substr(given, 9, 2)::integer,
        substr(given, 12, 2)::integer, substr(given, 15, 2)::integer, 0);
    EXCEPTION WHEN data_exception THEN
      PERFORM settled.fail('SD400', 'date-of-birth', 'the date of birth is not a valid instant');
    END;
  END IF;
  IF instant IS NULL OR instant >= '9999-12-31' THEN
    PERFORM settled.fail('SD400', 'date-of-birth',
      'the date of birth must have the format YYYY-MM-DD, or be a UTC instant with Z on a quarter hour');
  END IF;
  zone := settled.setting('racing.time_zone');
  PERFORM settled.check_zone(zone);
  local := settled.shown(instant AT TIME ZONE 'UTC', zone);
  RETURN to_char(CASE
    WHEN instant = date_trunc('day', instant) THEN instant
    WHEN local = date_trunc('day', local) THEN local
    ELSE instant + day / 2 END, 'YYYY-MM-DD');
END
$$;

-- PUT users/:id with the app's entire User. Fields that the caller can change are used; the rest are ignored.
CREATE OR REPLACE FUNCTION gateway.racepace_update_user(athlete_id bigint, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM gateway.check_object(body);
  PERFORM racing.update_athlete(athlete_id, jsonb_build_object(
    'displayName', body -> 'displayName',
    'dateOfBirth', gateway.birth_date(gateway.body_text(body, 'dateOfBirth', 'date-of-birth')),
    'gender', body -> 'gender',
    'userType', body -> 'userType'));
  RETURN gateway.user_shape(athlete_id);
END
$$;

-- PUT users/:id/strava with {code scope}, or null to disconnect. Tokens are not accepted.
CREATE OR REPLACE FUNCTION gateway.racepace_update_strava(athlete_id bigint, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  IF body = 'null' THEN
    IF racing.athlete(athlete_id) -> 'strava' <> 'null' THEN
      PERFORM racing.disconnect_strava(athlete_id);
    END IF;
  ELSE
    PERFORM settled.check_keys(body, '{code,scope}', 'body');
    PERFORM settled.check_text(gateway.body_text(body, 'code', 'code'), 'code', min => 1);
    PERFORM settled.check_text(gateway.body_text(body, 'scope', 'scope'), 'scope');
    PERFORM racing.connect_strava(athlete_id, body ->> 'code', body ->> 'scope');
    PERFORM racing.count_code(athlete_id);
  END IF;
  RETURN gateway.user_shape(athlete_id);
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{racepace_session, racepace_user, racepace_update_user, racepace_update_strava}');
