-- Erases an athlete: name, birth date, gender, claims, tracks and names of activities, notes of flags and reviews,
-- tokens, events. SD409 `race`: a race that the athlete has entered is not over. SD409 `money`: the wallet holds or
-- owes money.
CREATE OR REPLACE FUNCTION racing.erase_athlete(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  open_race bigint;
  w racing.wallet;
  activities bigint[];
  names bigint;
  claims bigint;
  tracks bigint;
  notes bigint;
  more bigint;
  strava jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  -- As entering does, and disconnecting: no race is entered meanwhile.
  PERFORM FROM racing.athlete AS a WHERE a.id = erase_athlete.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  SELECT r.id INTO open_race FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
    WHERE e.athlete_id = erase_athlete.athlete_id
      AND (r.status NOT IN ('settled', 'cancelled') OR r.correction_due_at IS NOT NULL)
    ORDER BY r.id LIMIT 1;
  IF open_race IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'race', format('the athlete has entered race %s, which is not finished', open_race));
  END IF;
  -- The order of locks everywhere: activities, claims, then wallets.
  activities := ARRAY(SELECT x.id FROM racing.activity AS x WHERE x.athlete_id = erase_athlete.athlete_id
    ORDER BY x.id FOR NO KEY UPDATE);
  DELETE FROM racing.claim AS c WHERE c.athlete_id = erase_athlete.athlete_id;
  GET DIAGNOSTICS claims = ROW_COUNT;
  SELECT x.* INTO w FROM racing.wallet AS x WHERE x.athlete_id = erase_athlete.athlete_id FOR NO KEY UPDATE;
  IF w.balance_pence > 0 OR w.pending_pence > 0 OR w.receivable_pence > 0 THEN
    PERFORM settled.fail('SD409', 'money',
      'the wallet has a balance or a debt: withdraw the balance or settle the debt first');
  END IF;

  UPDATE racing.athlete AS a SET display_name = settled.erased_name(), date_of_birth = NULL, gender = NULL,
      provider_gender = NULL
    WHERE a.id = erase_athlete.athlete_id
      AND (a.display_name <> settled.erased_name() OR a.date_of_birth IS NOT NULL OR a.gender IS NOT NULL
        OR a.provider_gender IS NOT NULL);
  GET DIAGNOSTICS names = ROW_COUNT;
  UPDATE racing.athlete AS a SET erased_at = settled.clock() WHERE a.id = erase_athlete.athlete_id;
  DELETE FROM racing.activity_stream AS s WHERE s.activity_id = ANY (activities);
  DELETE FROM racing.deletion AS d WHERE d.activity_id = ANY (activities);
  DELETE FROM racing.import_day AS d WHERE d.athlete_id = erase_athlete.athlete_id;
  DELETE FROM racing.code_day AS d WHERE d.athlete_id = erase_athlete.athlete_id;
  -- What was imported is another content now: a repeated import does not find it unchanged.
  UPDATE racing.activity AS x SET name = settled.erased_name(), polyline = NULL, start_latitude = NULL,
      start_longitude = NULL, end_latitude = NULL, end_longitude = NULL, proved_by = NULL,
      content_hash = sha256(convert_to('erased ' || x.id, 'UTF8'))
    WHERE x.id = ANY (activities) AND x.content_hash IS DISTINCT FROM sha256(convert_to('erased ' || x.id, 'UTF8'));
  GET DIAGNOSTICS tracks = ROW_COUNT;
  UPDATE racing.flag AS f SET notes = NULL
    WHERE (f.activity_id = ANY (activities) OR f.flagged_by = erase_athlete.athlete_id) AND f.notes IS NOT NULL;
  GET DIAGNOSTICS notes = ROW_COUNT;
  UPDATE racing.flag AS f SET account_digest = NULL
    WHERE f.flagged_by = erase_athlete.athlete_id AND f.account_digest IS NOT NULL;
  UPDATE racing.decision AS d SET note = settled.erased_name()
    WHERE d.activity_id = ANY (activities) AND d.note <> settled.erased_name();
  GET DIAGNOSTICS more = ROW_COUNT;
  PERFORM settled.erase_audit(ARRAY(SELECT 'activity ' || x FROM unnest(activities) AS x)
    || format('profile of athlete %s', athlete_id));
  strava := strava.erase_athlete(athlete_id);
  -- It revokes the connection, of which nothing is left to be forgotten.
  DELETE FROM racing.revocation AS x WHERE x.athlete_id = erase_athlete.athlete_id;
  -- Each race that they entered is settled. After the connection, as in racing.enter_race.
  DELETE FROM racing.entered_account AS x WHERE x.athlete_id = erase_athlete.athlete_id;
  UPDATE racing.entry AS e SET account = NULL WHERE e.athlete_id = erase_athlete.athlete_id AND e.account IS NOT NULL;
  RETURN jsonb_build_object(
    'erased', jsonb_build_object('names', names, 'tracks', tracks, 'notes', notes + more,
      'claims', claims, 'tokens', strava -> 'tokens', 'foundActivities', strava -> 'foundActivities',
      'events', (strava ->> 'events')::bigint
        + settled.erase_events('{review.info_requested}', ARRAY(SELECT unnest(activities)::text))),
    'kept', jsonb_build_array('ids', 'the ledger', 'entries, ranks and prizes', 'times, distances and scores of activities'));
END
$$;

-- Erases these names of a reviewer from decisions and their events; returns how many decisions had one. An earlier
-- release stored the names of accounts; the numbers that are stored now are kept.
CREATE OR REPLACE FUNCTION racing.erase_reviewer(names text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  topics constant text[] := '{review.decided,review.info_requested}'::text[];
  name constant jsonb := jsonb_build_object('reviewer', settled.erased_name());
  activities text[];
  number bigint;
BEGIN
  WITH erased AS (
    UPDATE racing.decision AS d SET reviewer = settled.erased_name()
      WHERE d.reviewer = ANY (names) AND d.reviewer <> settled.erased_name()
      RETURNING d.activity_id
  )
  SELECT count(*), array_agg(DISTINCT e.activity_id::text) INTO number, activities FROM erased AS e;
  UPDATE settled.event AS e SET payload = e.payload || name
    WHERE e.topic = ANY (topics) AND e.key = ANY (activities) AND e.payload ->> 'reviewer' = ANY (names);
  UPDATE settled.event_pending AS e SET payload = e.payload || name
    WHERE e.topic = ANY (topics) AND e.key = ANY (activities) AND e.payload ->> 'reviewer' = ANY (names);
  RETURN number;
END
$$;

SELECT settled.declare_callers('racing', daemon => '{erase_athlete}', fixed => '{erase_athlete}');
