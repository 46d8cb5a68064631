-- What changes at the provider after an activity came: its content, who may see it, and whether it is there at all.
-- Source: Racing.docc/ProviderChanges.md.

-- Whether new content with one of these starts comes too late: a race that the athlete has entered holds it, and is
-- past its due instant. A race that is settled stays so where the clock goes back.
CREATE OR REPLACE FUNCTION racing.is_past_due(athlete_id bigint, starts timestamptz[], now timestamptz)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
    WHERE e.athlete_id = is_past_due.athlete_id AND r.status <> 'cancelled'
      AND (r.due_at <= is_past_due.now OR r.status = 'settled')
      AND EXISTS (SELECT FROM unnest(starts) AS s (at) WHERE r.starts_at <= s.at AND s.at < r.ends_at))
$$;

-- Whether what the provider shows of an activity measures the same as what is kept. Streams are not compared.
CREATE OR REPLACE FUNCTION racing.measures_same(kept racing.activity, shown racing.activity)
RETURNS boolean
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT (kept.activity_type, kept.started_at, kept.elapsed_time, kept.moving_time, kept.distance, kept.max_speed)
    IS NOT DISTINCT FROM
      (shown.activity_type, shown.started_at, shown.elapsed_time, shown.moving_time, shown.distance, shown.max_speed)
$$;

-- The starts, old and new, of those activities of the athlete that racing.follow_fetched may change in a race: they
-- were deleted, or the provider newly flags them, or they measure another content.
CREATE OR REPLACE FUNCTION racing.changed_starts(athlete_id bigint, summaries jsonb[])
RETURNS timestamptz[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  starts timestamptz[] := '{}'::timestamptz[];
  old racing.activity;
  new racing.activity;
  one jsonb;
BEGIN
  FOREACH one IN ARRAY summaries LOOP
    SELECT a.* INTO old FROM racing.activity AS a
      WHERE a.strava_id = trunc((one -> 'stravaId')::numeric)::bigint AND a.athlete_id = changed_starts.athlete_id;
    CONTINUE WHEN old.id IS NULL;
    IF old.deleted_at IS NOT NULL OR one -> 'flagged' = 'true' AND NOT old.provider_flagged THEN
      starts := starts || old.started_at;
    END IF;
    CONTINUE WHEN NOT racing.is_importable(one);
    SELECT (c.content).* INTO new FROM racing.activity_content(one) AS c;
    IF NOT racing.measures_same(old, new) THEN
      starts := starts || old.started_at || new.started_at;
    END IF;
  END LOOP;
  RETURN starts;
END
$$;

-- The provider shows an activity of the athlete again. Visibility and the provider's flag follow always, what was
-- measured until a race of it is due. summary: in the keys of an import. has_streams: whether nothing more can be read.
-- Returns what became of the content; null where the activity is not here:
--   same      it is what is kept
--   followed  the new content was taken
--   frozen    it differs and is not taken: under review, disqualified, or past the due instant of a race
--   streams   it differs, and streams that a race needs must be read before it is taken
CREATE OR REPLACE FUNCTION racing.follow_fetched(athlete_id bigint, summary jsonb, has_streams boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  old racing.activity;
  standing racing.activity;
  new racing.activity;
  now timestamptz;
BEGIN
  PERFORM FROM racing.athlete AS x WHERE x.id = follow_fetched.athlete_id FOR NO KEY UPDATE;
  SELECT a.* INTO old FROM racing.activity AS a
    WHERE a.strava_id = (summary ->> 'stravaId')::bigint AND a.athlete_id = follow_fetched.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  now := settled.clock();
  IF old.deleted_at IS NOT NULL THEN
    -- Stamped behind the lock of the athlete: no race that is due counts it.
    UPDATE racing.activity AS a SET deleted_at = NULL, shown_again_at = now WHERE a.id = old.id;
    DELETE FROM racing.deletion AS d WHERE d.activity_id = old.id;
    PERFORM racing.check_again(racing.lock_races(ARRAY[athlete_id], ARRAY[old.started_at]));
    -- Whoever entered a race meanwhile, or had it validated, got past the bounds.
    PERFORM racing.review_doubted(ARRAY[old.id], now);
    SELECT a.* INTO old FROM racing.activity AS a WHERE a.id = old.id;
  END IF;
  standing.visibility := racing.known_visibility(summary) ->> 'visibility';
  standing.provider_flagged := coalesce(summary -> 'flagged' = 'true', false);
  PERFORM racing.keep_standing(old, standing);

  BEGIN
    SELECT (c.content).* INTO new FROM racing.activity_content(summary) AS c;
  EXCEPTION WHEN SQLSTATE 'SD400' THEN      -- the provider gives what an import refuses
    RETURN 'frozen';
  END;
  IF racing.measures_same(old, new) THEN
    IF old.forgotten_at IS NOT NULL THEN    -- its owner has come back
      UPDATE racing.activity AS a SET forgotten_at = NULL, name = new.name, polyline = new.polyline,
          start_latitude = new.start_latitude, start_longitude = new.start_longitude,
          end_latitude = new.end_latitude, end_longitude = new.end_longitude
        WHERE a.id = old.id;
    END IF;
    RETURN 'same';
  ELSIF old.status IN ('under_review', 'disqualified') OR racing.is_ahead(new.started_at, new.elapsed_time, now)
    OR racing.is_past_due(athlete_id, ARRAY[old.started_at, new.started_at], now)
  THEN
    RETURN 'frozen';
  ELSIF NOT has_streams AND racing.streams_until(athlete_id, summary, NULL) IS NOT NULL THEN
    RETURN 'streams';
  END IF;
  BEGIN
    PERFORM racing.take_import(athlete_id, racing.known_visibility(summary), true);
  EXCEPTION WHEN SQLSTATE 'SD409' THEN      -- a race came due while the import waited for its lock
    RETURN 'frozen';
  END;
  RETURN 'followed';
END
$$;

-- The provider has an activity of the athlete no more, as a read with the athlete's token confirmed. It counts in no
-- race that is not settled yet, and holds none. It leaves all lists; what is open about it stays open. An athlete can
-- so neither take a prize back nor flee from a decision. A repetition changes nothing. Nor does a read under another
-- account than that which proved it, nor anything about one that an app vouched for: the provider has never shown it.
CREATE OR REPLACE FUNCTION racing.note_deleted(athlete_id bigint, strava_id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.activity;
  races bigint[];
  now timestamptz;
BEGIN
  PERFORM FROM racing.athlete AS x WHERE x.id = note_deleted.athlete_id FOR NO KEY UPDATE;
  SELECT x.* INTO a FROM racing.activity AS x
    WHERE x.strava_id = note_deleted.strava_id AND x.athlete_id = note_deleted.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND OR a.deleted_at IS NOT NULL OR NOT a.is_proved OR a.proved_by <> (
    SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = note_deleted.athlete_id)
  THEN
    RETURN;
  END IF;
  races := racing.lock_races(ARRAY[athlete_id], ARRAY[a.started_at]);
  now := settled.clock();
  UPDATE racing.activity AS x SET deleted_at = now, visibility = 'only_me' WHERE x.id = a.id;
  IF a.forgotten_at IS NULL THEN
    INSERT INTO racing.deletion (activity_id, forget_at) VALUES (a.id, now + interval '24 hours')
    ON CONFLICT ON CONSTRAINT deletion_pkey DO NOTHING;
  END IF;
  PERFORM racing.check_again(races);
  PERFORM settled.emit('activity.deleted', a.id::text,
    jsonb_build_object('activityId', a.id, 'athleteId', a.athlete_id), now);
END
$$;

-- The provider may hide an activity, because the athlete has not agreed to the scope for private ones. It is not known
-- whether it is still there: nobody else sees it.
CREATE OR REPLACE FUNCTION racing.note_hidden(athlete_id bigint, strava_id bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE racing.activity AS a SET visibility = 'only_me'
  WHERE a.strava_id = note_hidden.strava_id AND a.athlete_id = note_hidden.athlete_id AND a.visibility <> 'only_me'
$$;

-- A listing of the time [since, before) that began at an instant has not shown these activities that the account of the
-- connection has proved: each is asked for by its id, the five best of each type of race. Where the athlete keeps
-- private ones from settled, an answer would prove nothing. The caller has locked the athlete.
CREATE OR REPLACE FUNCTION racing.ask_unshown(
  athlete_id bigint, since timestamptz, before timestamptz, began timestamptz, until_at timestamptz, class integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shows_all constant boolean := strava.has_scope(athlete_id, 'activity:read_all');
  account constant bigint := (
    SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = ask_unshown.athlete_id);
  unshown bigint;
BEGIN
  FOR unshown IN
    SELECT u.strava_id
    FROM (
      SELECT a.strava_id, a.id, row_number() OVER (ORDER BY a.top_speed_mm_per_s DESC NULLS LAST, a.id) <= 5
          OR row_number() OVER (ORDER BY a.distance_cm DESC NULLS LAST, a.id) <= 5
          OR row_number() OVER (ORDER BY a.fastest_1km_ms NULLS LAST, a.id) <= 5
          OR row_number() OVER (ORDER BY a.fastest_5km_ms NULLS LAST, a.id) <= 5 AS is_best
      FROM racing.activity AS a
      WHERE a.athlete_id = ask_unshown.athlete_id AND a.started_at >= since AND a.started_at < before
        AND a.strava_id IS NOT NULL AND a.is_proved AND a.deleted_at IS NULL AND a.imported_at < began
        AND coalesce(a.proved_by = account, true) AND coalesce(a.shown_at < began, true) AND (shows_all OR a.visibility <> 'only_me')
    ) AS u
    WHERE u.is_best ORDER BY u.id
  LOOP
    IF shows_all THEN
      PERFORM strava.ask_activity(athlete_id, unshown, until_at, class);
    ELSE
      PERFORM racing.note_hidden(athlete_id, unshown);
    END IF;
  END LOOP;
END
$$;

-- A connection that is revoked has the content of its athlete's activities forgotten; one that becomes active again
-- with the same account ends that. The writer has locked the connection, and perhaps not the athlete.
CREATE OR REPLACE FUNCTION racing.note_connection()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NEW.status = 'active' THEN
    DELETE FROM racing.revocation AS r
      WHERE r.athlete_id = NEW.athlete_id AND r.provider_athlete_id IN (NEW.provider_athlete_id, 0);
  ELSE
    INSERT INTO racing.revocation AS r (athlete_id, provider_athlete_id, revoked_at, forget_at)
      VALUES (NEW.athlete_id, coalesce(NEW.provider_athlete_id, 0), settled.clock(),
        settled.clock() + interval '24 hours')
    ON CONFLICT ON CONSTRAINT revocation_pkey DO UPDATE SET revoked_at = excluded.revoked_at;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER revocation AFTER UPDATE OF status ON strava.connection
  FOR EACH ROW WHEN (NEW.status IN ('revoked', 'active') AND NEW.status <> OLD.status)
  EXECUTE FUNCTION racing.note_connection();
