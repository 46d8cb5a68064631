-- Connecting and disconnecting. Both lock the athlete, as entering does, so a race is
-- entered before or after, not during.

-- Keeps the code for the daemon, which exchanges it for tokens and erases it. A new code replaces an older one. Claims
-- that the provider hides are asked for where the athlete grants a scope that the connection lacked.
CREATE OR REPLACE FUNCTION racing.connect_strava(athlete_id bigint, authorization_code text, scope text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.athlete;
  showed_all boolean;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_text(authorization_code, 'authorization-code', min => 1);
  PERFORM settled.check_text(scope, 'scope');
  SELECT x.* INTO a FROM racing.athlete AS x WHERE x.id = connect_strava.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF a.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF a.user_type = 'spectator' THEN
    PERFORM settled.fail('SD403', 'spectator', 'a spectator does not connect');
  END IF;
  showed_all := strava.has_scope(athlete_id, 'activity:read_all');
  PERFORM strava.connect(athlete_id, authorization_code, scope);
  IF NOT showed_all AND strava.has_scope(athlete_id, 'activity:read_all') THEN
    PERFORM racing.ask_claims(athlete_id);
  END IF;
END
$$;

-- Revoked at once; the daemon revokes at the provider and erases the tokens. Open claims are rejected, because nobody
-- can prove them. A second time changes nothing.
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
  PERFORM racing.reject_claims(athlete_id);
  IF NOT strava.disconnect(athlete_id) THEN
    PERFORM settled.fail('SD404', 'connection', 'this athlete has never connected');
  END IF;
END
$$;

SELECT settled.declare_callers('racing',
  contract => '{connect_strava, disconnect_strava}',
  daemon => '{disconnect_strava}');
