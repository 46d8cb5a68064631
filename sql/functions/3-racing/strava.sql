-- Connecting and disconnecting. Both lock the athlete, as does entering a race, so an athlete cannot enter a race while
-- connecting or disconnecting.

-- If the athlete grants a scope that the connection lacked, requests the claimed activities that the provider was
-- hiding.
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
    PERFORM settled.fail('SD403', 'spectator', 'spectators cannot connect');
  END IF;
  showed_all := strava.has_scope(athlete_id, 'activity:read_all');
  PERFORM strava.connect(athlete_id, authorization_code, scope);
  IF NOT showed_all AND strava.has_scope(athlete_id, 'activity:read_all') THEN
    PERFORM racing.ask_claims(athlete_id);
  END IF;
END
$$;
COMMENT ON FUNCTION racing.connect_strava(bigint, text, text) IS
$$Stores an athlete's authorization code. A daemon exchanges the code for tokens. A new code replaces any older code.
authorization_code: 1 to 10,000 characters, as the provider sent it.
scope: the granted scopes as the provider sent them, separated by commas; at most 10,000 characters.
Returns nothing.
Refuses: SD400 athlete-id, authorization-code, isolation, scope; SD403 spectator; SD404 athlete; SD409 erased;
    SD429 quota (the provider refused the latest codes; DETAIL has retryAfter in seconds).
Example: SELECT racing.connect_strava(athlete_id => 2, authorization_code => 'c0de', scope => 'read,activity:read_all')$$;

-- Open claims are rejected because they can no longer be proved.
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
COMMENT ON FUNCTION racing.disconnect_strava(bigint) IS
$$Revokes an athlete's connection immediately. A daemon then revokes the connection at the provider and
erases the tokens.
Returns nothing. A repeated call changes nothing.
Refuses: SD400 athlete-id, isolation; SD404 athlete, connection (the athlete has never connected).
Example: SELECT racing.disconnect_strava(athlete_id => 1)$$;

SELECT settled.declare_callers('racing',
  contract => '{connect_strava, disconnect_strava}',
  daemon => '{disconnect_strava}');
