-- Connecting and disconnecting. Both lock the athlete, as entering does, so a race is entered before or after, not during.

-- Keeps the code for the daemon, which exchanges it for tokens and erases it. A new code replaces an older one.
CREATE OR REPLACE FUNCTION racing.connect_strava(athlete_id bigint, authorization_code text, scope text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  its_type text;
  missing text[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_text(authorization_code, 'authorization-code', min => 1);
  PERFORM settled.check_text(scope, 'scope');
  SELECT a.user_type INTO its_type FROM racing.athlete AS a WHERE a.id = connect_strava.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF its_type = 'spectator' THEN
    PERFORM settled.fail('SD403', 'spectator', 'a spectator does not connect');
  END IF;
  missing := strava.missing_scopes(scope);
  INSERT INTO strava.connection AS c (athlete_id, status, missing_scopes, authorization_code, changed_at)
    VALUES (connect_strava.athlete_id, 'connecting', missing, connect_strava.authorization_code, settled.clock())
  ON CONFLICT ON CONSTRAINT connection_pkey DO UPDATE SET
    status = excluded.status,
    missing_scopes = excluded.missing_scopes,
    authorization_code = excluded.authorization_code,
    changed_at = excluded.changed_at;
END
$$;

-- Revoked at once; the daemon revokes at the provider and erases the tokens. A second time changes nothing.
CREATE OR REPLACE FUNCTION racing.disconnect_strava(athlete_id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM FROM racing.athlete AS a WHERE a.id = disconnect_strava.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  UPDATE strava.connection AS c SET status = 'revoked', authorization_code = NULL, changed_at = settled.clock()
    WHERE c.athlete_id = disconnect_strava.athlete_id AND c.status <> 'revoked';
  IF NOT FOUND AND NOT EXISTS (SELECT FROM strava.connection AS c WHERE c.athlete_id = disconnect_strava.athlete_id) THEN
    PERFORM settled.fail('SD404', 'connection', 'this athlete has never connected');
  END IF;
END
$$;
