-- The same content again: visibility and the provider's flag may differ, and are kept in every status, unless the
-- provider has the activity no more. An activity that is flagged since is reviewed, and races that wait are checked
-- again.
CREATE OR REPLACE FUNCTION racing.keep_standing(old racing.activity, new racing.activity) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE racing.activity AS a
  SET visibility = coalesce(new.visibility, a.visibility),
      provider_flagged = coalesce(new.provider_flagged, a.provider_flagged)
  WHERE a.id = old.id AND a.deleted_at IS NULL AND (a.visibility, a.provider_flagged)
    IS DISTINCT FROM (coalesce(new.visibility, a.visibility), coalesce(new.provider_flagged, a.provider_flagged));
  IF new.provider_flagged AND NOT old.provider_flagged THEN
    PERFORM racing.review_doubted(ARRAY[old.id], settled.clock());
    PERFORM racing.check_again(ARRAY(
      SELECT r.id FROM racing.race AS r
      WHERE r.id IN (SELECT e.race_id FROM racing.entry AS e WHERE e.athlete_id = old.athlete_id)
        AND r.status = 'ended' AND r.starts_at <= old.started_at AND old.started_at < r.ends_at
      ORDER BY r.id FOR NO KEY UPDATE));
  END IF;
END $$;

-- Takes an activity in, or its new content (Racing.docc/Activities.md, "Import"). is_shown: by the provider, which also
-- shows what a spectator did as a racer. Locks in the order of all: the athlete (so an entry and an import of one
-- athlete follow each other), the activity, then only the races that this import may touch. The clock is read after
-- them: an import that waited past due_at must not count.
CREATE OR REPLACE FUNCTION racing.take_import(athlete_id bigint, activity jsonb, is_shown boolean) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given record;
  new racing.activity;
  old racing.activity;
  its_athlete racing.athlete;
  races bigint[];
  asked_at timestamptz;
  now timestamptz;
BEGIN
  given := racing.activity_content(activity);
  new := given.content;

  SELECT a.* INTO its_athlete FROM racing.athlete a WHERE a.id = take_import.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF its_athlete.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF its_athlete.user_type = 'spectator' AND NOT is_shown THEN
    PERFORM settled.fail('SD403', 'spectator', 'spectators cannot import activities');
  END IF;

  asked_at := settled.clock();
  SELECT a.* INTO old FROM racing.activity a WHERE a.strava_id = new.strava_id FOR NO KEY UPDATE;
  IF old.content_hash IS DISTINCT FROM new.content_hash AND racing.is_ahead(new.started_at, new.elapsed_time, asked_at) THEN
    PERFORM settled.fail('SD400', 'start-date', 'the activity ends more than ten minutes from now');
  ELSIF old.id IS NULL THEN
    INSERT INTO racing.activity AS a (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
      distance, max_speed, start_latitude, start_longitude, end_latitude, end_longitude, polyline, content_hash,
      streams_digest, imported_at, visibility, provider_flagged)
    VALUES (take_import.athlete_id, new.strava_id, new.name, new.activity_type, new.started_at, new.elapsed_time,
      new.moving_time, new.distance, new.max_speed, new.start_latitude, new.start_longitude, new.end_latitude,
      new.end_longitude, new.polyline, new.content_hash, new.streams_digest, asked_at,
      coalesce(new.visibility, 'everyone'), coalesce(new.provider_flagged, false))
    ON CONFLICT ON CONSTRAINT activity_strava_id DO NOTHING
    RETURNING a.id INTO new.id;
    IF new.id IS NULL THEN          -- another athlete's import committed it between the two statements
      PERFORM settled.fail('SD409', 'strava-id', 'the activity belongs to another athlete');
    END IF;
    IF given.times IS NOT NULL THEN
      INSERT INTO racing.activity_stream (activity_id, times, distances) VALUES (new.id, given.times, given.distances);
    END IF;
  ELSIF old.athlete_id <> take_import.athlete_id THEN
    PERFORM settled.fail('SD409', 'strava-id', 'the activity belongs to another athlete');
  ELSIF old.content_hash = new.content_hash THEN
    PERFORM racing.keep_standing(old, new);
    RETURN old.id;
  END IF;

  -- No entry can be added: the athlete is locked. Races that were due when asked are left alone: nothing stamped from
  -- then on counts in them. The others are locked, and the stamp is taken again, in case they changed meanwhile.
  races := ARRAY(
    SELECT r.id FROM racing.entry e JOIN racing.race r ON r.id = e.race_id
    WHERE e.athlete_id = take_import.athlete_id AND r.status <> 'cancelled' AND r.due_at > asked_at
      AND (new.started_at >= r.starts_at AND new.started_at < r.ends_at
        OR old.started_at >= r.starts_at AND old.started_at < r.ends_at));
  PERFORM FROM racing.race r WHERE r.id = ANY (races) AND r.status NOT IN ('settled', 'cancelled')
  ORDER BY r.id FOR NO KEY UPDATE;
  -- Where the clock went back meanwhile, what was due stays due.
  now := greatest(asked_at, settled.clock());

  IF old.id IS NULL THEN
    IF races <> '{}' THEN
      UPDATE racing.activity a SET imported_at = now WHERE a.id = new.id;
    END IF;
  ELSE
    IF old.status IN ('under_review', 'disqualified') THEN
      PERFORM settled.fail('SD409', 'frozen', 'the activity is under review or disqualified',
        jsonb_build_object('status', old.status));
    ELSIF old.deleted_at IS NOT NULL THEN
      PERFORM settled.fail('SD409', 'frozen', 'the provider no longer has the activity');
    ELSIF racing.is_past_due(athlete_id, ARRAY[old.started_at, new.started_at], now) THEN
      PERFORM settled.fail('SD409', 'frozen', 'a race that includes this activity is past its due time or settled');
    END IF;
    new.id := old.id;
    UPDATE racing.activity a
    SET name = new.name, activity_type = new.activity_type, started_at = new.started_at,
        elapsed_time = new.elapsed_time, moving_time = new.moving_time, distance = new.distance,
        max_speed = new.max_speed, start_latitude = new.start_latitude, start_longitude = new.start_longitude,
        end_latitude = new.end_latitude, end_longitude = new.end_longitude, polyline = new.polyline,
        content_hash = new.content_hash, streams_digest = new.streams_digest,
        imported_at = now, status = 'pending', reasons = '{}', scored = false, is_changed_late = false,
        top_speed_mm_per_s = NULL, distance_cm = NULL, fastest_1km_ms = NULL, fastest_5km_ms = NULL, forgotten_at = NULL,
        visibility = coalesce(new.visibility, a.visibility),
        provider_flagged = coalesce(new.provider_flagged, a.provider_flagged)
    WHERE a.id = new.id;
    PERFORM settled.inputs_changed('activity-validation', new.id::text);
    PERFORM settled.inputs_changed('flag-escalation', new.id::text);
    DELETE FROM racing.activity_stream s WHERE s.activity_id = new.id;
    IF given.times IS NOT NULL THEN
      INSERT INTO racing.activity_stream (activity_id, times, distances) VALUES (new.id, given.times, given.distances);
    END IF;
    UPDATE racing.activity a SET approvals = racing.approvals_of(a)
    WHERE a.id = new.id AND EXISTS (SELECT FROM racing.decision d WHERE d.activity_id = a.id AND d.decision = 'approve');
  END IF;

  -- The activities that these races wait for may have changed: settlement checks them again when they are due.
  IF races <> '{}' THEN
    PERFORM racing.check_again(races);
  END IF;
  RETURN new.id;
END $$;

CREATE OR REPLACE FUNCTION racing.import_activity(athlete_id bigint, activity jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  RETURN racing.take_import(athlete_id, activity, false);
END $$;
COMMENT ON FUNCTION racing.import_activity(bigint, jsonb) IS
$$Imports an athlete's activity, or replaces its content.
activity: a JSON object of at most 16 MiB.
  stravaId (whole number): the provider's id, 1 or greater.
  name (text): at most 10,000 characters.
  activityType (text): at most 10,000 characters; only Canoeing and Kayaking can count.
  startDate (text): an ISO 8601 instant with a time zone. The activity must end at most ten minutes from now.
  elapsedTime (seconds): greater than 0, at most 100,000,000.
  movingTime (seconds): 0 to 100,000,000.
  distance (metres): 0 to 100,000,000.
  maxSpeed (metres per second, optional): 0 to 100,000.
  startLocation (object, optional): latitude from -90 to 90 and longitude from -180 to 180, in degrees.
  endLocation (object, optional): in the format of startLocation.
  polyline (text, optional): at most 1,000,000 characters.
  streams (object, optional): two arrays of the same length, at most 200,000: time in seconds and distance in metres.
      time increases strictly from 0, distance never decreases, and both contain numbers up to 100,000,000.
  visibility (text, optional): everyone, followers_only or only_me.
  flagged (boolean, optional): whether the provider has flagged the activity.
Returns the activity's id. Importing the same content again changes nothing.
Refuses: SD400 activity, activity-type, athlete-id, distance, elapsed-time, end-location, flagged, isolation, key,
    max-speed, moving-time, name, polyline, start-date, start-location, strava-id, streams, visibility; SD403 spectator;
    SD404 athlete; SD409 erased, frozen (the activity is under review, disqualified or deleted, or a race
    that includes it is due), strava-id (the activity belongs to another athlete).
Example: SELECT racing.import_activity(athlete_id => 1, activity => '{"stravaId": 8002, "name": "Evening paddle",
    "activityType": "Kayaking", "startDate": "2026-06-02T18:00:00Z", "elapsedTime": 1900, "movingTime": 1800,
    "distance": 6000, "maxSpeed": 4.5}')$$;

SELECT settled.declare_callers('racing', contract => '{import_activity}');
