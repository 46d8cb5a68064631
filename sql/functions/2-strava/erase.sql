-- Erases what is kept of an athlete: the connection is revoked at once, and the daemon revokes it at the provider and
-- erases the refresh token, as after any disconnection. The caller has locked the athlete.
CREATE OR REPLACE FUNCTION strava.erase_athlete(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  tokens bigint;
  found_activities bigint;
  events bigint;
BEGIN
  SELECT count(*) INTO tokens FROM strava.secret AS s WHERE s.athlete_id = erase_athlete.athlete_id;
  SELECT count(*) INTO found_activities FROM strava.read_request AS r
    WHERE r.athlete_id = erase_athlete.athlete_id AND r.kind = 'streams';
  PERFORM strava.disconnect(athlete_id);
  DELETE FROM strava.hint AS h WHERE h.athlete_id = erase_athlete.athlete_id;
  events := settled.erase_events('{strava.connected, strava.needs_reauth, strava.revoked}', ARRAY[athlete_id::text]);
  RETURN jsonb_build_object('tokens', tokens, 'foundActivities', found_activities, 'events', events);
END
$$;
