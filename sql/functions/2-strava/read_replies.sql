-- What becomes of reads. The taker locks first (the athlete, activities, races), then the connection is locked, and the
-- request last: whoever ends a race holds the race when it asks for reads.

-- Requests are about to be called: those that waited are in line, listings begin, and turns advance.
CREATE OR REPLACE FUNCTION strava.begin_reads(requests bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz := settled.clock();
BEGIN
  IF EXISTS (SELECT FROM strava.read_request AS r WHERE r.next_call_at <= now) THEN
    UPDATE strava.read_request AS r SET next_call_at = NULL WHERE r.id IN (
      SELECT w.id FROM strava.read_request AS w WHERE w.next_call_at <= now
      ORDER BY w.next_call_at LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  UPDATE strava.read_request AS r SET began_at = now WHERE r.id = ANY (requests) AND r.kind = 'listing' AND r.page = 1;
  UPDATE strava.provider AS p SET read_turns = t.turns
    FROM (
      SELECT array_agg(greatest(q.read_turns[c.class], (SELECT min(r.turn) FROM strava.read_request AS r
          WHERE r.id = ANY (requests) AND r.class = c.class)) ORDER BY c.class) AS turns
      FROM strava.provider AS q CROSS JOIN generate_series(1, 3) AS c (class)
    ) AS t
    WHERE p.read_turns <> t.turns;
END
$$;

-- A listing that is done: before results the athlete is listed once more, a quarter of an hour before the time is
-- over. Activities are uploaded late, and a quarter sees a new window of the limits. Results that are due have no
-- second look.
CREATE OR REPLACE FUNCTION strava.end_listing(request bigint, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE strava.read_request AS r
    SET page = 1, began_at = NULL, failures = 0, was_read = true, next_call_at = r.until_at - interval '15 minutes'
    WHERE r.id = request AND r.class = 0 AND r.until_at - interval '15 minutes' > now
      AND to_timestamp(r.turn / 1000000) > now;
  IF NOT FOUND THEN
    DELETE FROM strava.read_request AS r WHERE r.id = request;
  END IF;
END
$$;

-- Writes a page that was read of a listing: began, since, before and page are those of the call. A full page has a
-- successor, up to the third. What was asked for before the listing began, within its span, is done with it; other
-- listings of the athlete wait until a minute after it began. Returns the rule by which the page is refused, if it is.
CREATE OR REPLACE FUNCTION strava.write_listing(
  request bigint, began timestamptz, since timestamptz, before timestamptz, page integer, activities jsonb,
  is_full boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.read_request;
  o strava.read_request;
  now timestamptz;
  is_last boolean := NOT is_full OR page >= 3;
  rule text;
BEGIN
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  rule := strava.hand_over('take_listing', r.athlete_id, jsonb_build_object(
    'activities', activities, 'since', since, 'before', before, 'isLast', is_last, 'askedAt', began, 'class', r.class,
    'untilAt', r.until_at, 'followsSwitch', r.follows_switch));
  PERFORM FROM strava.connection AS c WHERE c.athlete_id = r.athlete_id FOR NO KEY UPDATE;
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request FOR UPDATE;
  now := settled.clock();
  -- Gone, begun again, or read by another node meanwhile.
  IF r.began_at IS DISTINCT FROM began OR r.page <> write_listing.page THEN
    RETURN rule;
  ELSIF NOT is_last THEN
    -- Nobody's second page comes before the first one of another.
    UPDATE strava.read_request AS x SET page = x.page + 1,
        turn = CASE x.class WHEN 0 THEN x.turn + 1 ELSE strava.next_turn(r.athlete_id, r.class, r.until_at) END
      WHERE x.id = request;
    RETURN rule;
  END IF;
  UPDATE strava.connection AS c SET listed_at = began WHERE c.athlete_id = r.athlete_id;
  FOR o IN SELECT x.* FROM strava.read_request AS x
    WHERE x.athlete_id = r.athlete_id AND x.kind = 'listing' AND (x.id = r.id OR x.next_call_at IS NULL)
    ORDER BY x.id FOR UPDATE
  LOOP
    IF o.asked_at <= began AND o.since >= write_listing.since AND o.before <= write_listing.before THEN
      PERFORM strava.end_listing(o.id, now);
    ELSE
      UPDATE strava.read_request AS x
        SET page = 1, began_at = NULL, next_call_at = greatest(now, began + interval '1 minute') WHERE x.id = o.id;
    END IF;
  END LOOP;
  RETURN rule;
END
$$;

-- Writes what became of one activity: found, with its summary and the provider's number of its athlete, or missing. One
-- that belongs to another is foreign, and so is one where either account is not known; where the athlete has not agreed
-- to activity:read_all a missing one is hidden. What is not found costs the athlete a turn. called: when the call was
-- claimed; where the athlete has signed in since, nothing is done, and the activity is asked for once more. Returns the
-- rule by which it is refused, if it is; 'unreadable' where the athlete's own activity cannot be read, and nothing is
-- done.
CREATE OR REPLACE FUNCTION strava.write_activity(
  request bigint, called timestamptz, outcome text, provider_athlete_id bigint, summary jsonb)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.read_request;
  c strava.connection;
  is_found boolean;
  rule text;
BEGIN
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT x.* INTO STRICT c FROM strava.connection AS x WHERE x.athlete_id = r.athlete_id;
  IF c.changed_at > called AND c.changed_at <= settled.clock() THEN
    RETURN NULL;
  END IF;
  is_found := outcome = 'found' AND coalesce(write_activity.provider_athlete_id = c.provider_athlete_id, false);
  IF is_found AND summary IS NULL THEN
    RETURN 'unreadable';
  END IF;
  rule := strava.hand_over('take_activity', r.athlete_id, jsonb_build_object(
    'activityId', r.activity_id, 'outcome', CASE WHEN is_found THEN 'found' WHEN outcome = 'found' THEN 'foreign'
      WHEN strava.has_scope(r.athlete_id, 'activity:read_all') THEN 'missing' ELSE 'hidden' END,
    'summary', CASE WHEN is_found THEN write_activity.summary END, 'class', r.class, 'untilAt', r.until_at));
  PERFORM FROM strava.connection AS x WHERE x.athlete_id = r.athlete_id FOR NO KEY UPDATE;
  IF NOT is_found AND r.class > 0 THEN
    PERFORM strava.next_turn(r.athlete_id, r.class, r.until_at);
  END IF;
  DELETE FROM strava.read_request AS x WHERE x.id = request AND x.asked_at <= called;
  RETURN rule;
END
$$;

-- The streams of an answer as the taker gets them: JSON null where one of the two is
-- missing, null where it cannot be read.
CREATE OR REPLACE FUNCTION strava.streams_of(answer text)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  streams jsonb;
BEGIN
  -- Not above: what DECLARE computes no handler catches.
  streams := answer::jsonb;
  IF jsonb_typeof(streams) <> 'object' THEN
    RETURN NULL;
  ELSIF streams #> '{time,data}' IS NULL OR streams #> '{distance,data}' IS NULL THEN
    RETURN 'null'::jsonb;
  END IF;
  RETURN jsonb_build_object('time', streams #> '{time,data}', 'distance', streams #> '{distance,data}');
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END
$$;

-- Writes the streams of an activity as they were answered; null: there are none. Returns the rule by which it is
-- refused, if it is; 'unreadable' where the answer cannot be read, and nothing is done. An activity that the taker
-- refuses for its streams alone is handed over without them.
CREATE OR REPLACE FUNCTION strava.write_streams(request bigint, called timestamptz, answer text)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.read_request;
  streams jsonb;
  rule text;
BEGIN
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request;
  IF NOT FOUND THEN
    RETURN NULL;
  ELSIF answer IS NOT NULL THEN
    streams := strava.streams_of(answer);
    IF streams IS NULL THEN
      RETURN 'unreadable';
    END IF;
  END IF;
  rule := strava.hand_over('take_streams', r.athlete_id,
    CASE WHEN streams IS NULL THEN r.summary ELSE r.summary || jsonb_build_object('streams', streams) END);
  IF rule = 'streams' THEN
    rule := strava.hand_over('take_streams', r.athlete_id, r.summary);
  END IF;
  DELETE FROM strava.read_request AS x WHERE x.id = request AND x.asked_at <= called;
  RETURN rule;
END
$$;

-- The time of a request is over: the taker learns it. Or strava.import is off, and the request is dropped. Returns the
-- rule by which the taker refuses the summary that was known, if it does.
CREATE OR REPLACE FUNCTION strava.end_request(request bigint)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.read_request;
  is_dropped boolean;
  rule text;
BEGIN
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request;
  is_dropped := r.follows_switch AND NOT strava.imports();
  IF r.id IS NULL OR NOT is_dropped AND r.until_at > settled.clock() THEN
    RETURN NULL;
  ELSIF NOT is_dropped THEN
    rule := strava.hand_over('end_read', r.athlete_id, jsonb_build_object(
      'kind', r.kind, 'activityId', nullif(r.activity_id, 0), 'summary', r.summary));
  END IF;
  DELETE FROM strava.read_request AS x WHERE x.id = request;
  RETURN rule;
END
$$;

-- A read has failed. One that fails while the provider answers others takes another turn.
-- From its third failure on, one activity waits for hours, at last for a day: its athlete may have chosen it for that.
CREATE OR REPLACE FUNCTION strava.fail_read(request bigint, failure text, is_of_peer boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r strava.read_request;
BEGIN
  PERFORM strava.note_read_failure(failure);
  SELECT x.* INTO r FROM strava.read_request AS x WHERE x.id = request;
  IF r.id IS NULL OR is_of_peer THEN
    RETURN;
  END IF;
  PERFORM FROM strava.connection AS c WHERE c.athlete_id = r.athlete_id FOR NO KEY UPDATE;
  UPDATE strava.read_request AS x SET
      turn = CASE WHEN r.class > 0 THEN strava.next_turn(r.athlete_id, r.class, r.until_at) ELSE x.turn END,
      failures = x.failures + 1,
      next_call_at = CASE WHEN x.next_call_at IS NULL AND x.kind <> 'listing' AND x.failures >= 2
        THEN settled.clock() + least(interval '1 day', interval '1 hour' * 2 ^ least(x.failures - 2, 10))
        ELSE x.next_call_at END
    WHERE x.id = request;
END
$$;

SELECT settled.declare_callers('strava',
  daemon => '{
    fail_read, begin_reads, end_listing, write_listing, write_activity, streams_of, write_streams, end_request}');
