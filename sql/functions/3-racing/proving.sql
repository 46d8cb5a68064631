-- What the provider shows with an athlete's own token is proved: claims become activities, and an id that another
-- athlete has without proof goes to its owner. Source: Racing.docc/Claims.md, "Proof".

-- Keeps activities that the provider has shown as an athlete's own, each as import_activity takes it. One that is here
-- is marked as proved by the account of the connection. An open claim gives its id to the activity, and its instant
-- where it was made under that account, and what comes too late is noted. Otherwise it counts as imported now. Another
-- athlete's activity of the id is displaced, while racing.proof is on; where it must stay, and where no import would
-- take what was shown, the claim is rejected. The caller has locked the athlete. Locks: activities, claims, races.
-- starts: of what the caller changes next; its races are locked in the same statement, in one order.
DROP FUNCTION IF EXISTS racing.keep_proved(bigint, jsonb[]);
CREATE OR REPLACE FUNCTION racing.keep_proved(
  athlete_id bigint, activities jsonb[], starts timestamptz[] DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  proves constant boolean := settled.setting('racing.proof') = 'on';
  ids constant bigint[] := ARRAY(SELECT trunc((x -> 'stravaId')::numeric)::bigint FROM unnest(activities) AS x);
  good constant jsonb[] := ARRAY(SELECT x FROM unnest(activities) AS x WHERE racing.is_importable(x));
  account constant bigint := (
    SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = keep_proved.athlete_id);
  asked_at constant timestamptz := settled.clock();
  now timestamptz;
  one jsonb;
  shown_id bigint;
  old racing.activity;
  claim racing.claim;
  added bigint[] := '{}'::bigint[];
  -- Open claims of other athletes. One that is made meanwhile is read by its own athlete's token, and rejected then.
  others bigint[];
  touched record;
  locked bigint[];
  races bigint[];
BEGIN
  IF ids = '{}' THEN
    PERFORM racing.lock_races(array_fill(athlete_id, ARRAY[cardinality(starts)]), starts);
    RETURN;
  END IF;
  PERFORM FROM racing.activity AS a WHERE a.strava_id = ANY (ids) ORDER BY a.id FOR NO KEY UPDATE;
  others := ARRAY(SELECT x.id FROM (
    SELECT c.id, c.athlete_id FROM racing.claim AS c
    WHERE c.strava_id = ANY (ids) AND (c.athlete_id = keep_proved.athlete_id OR c.rejected_at IS NULL)
    ORDER BY c.id FOR UPDATE) AS x
    WHERE x.athlete_id <> keep_proved.athlete_id);
  -- Before any race is locked: somebody who is importing the same id meanwhile has it first, and waits for races.
  FOREACH one IN ARRAY good LOOP
    added := added || racing.add_proved(athlete_id, one, asked_at);
  END LOOP;
  PERFORM FROM racing.activity AS a WHERE a.strava_id = ANY (ids) ORDER BY a.id FOR NO KEY UPDATE;
  SELECT array_agg(x.athlete_id) AS athletes, array_agg(x.started_at) AS starts INTO touched
    FROM (
      SELECT a.athlete_id, a.started_at FROM racing.activity AS a WHERE a.strava_id = ANY (ids)
      UNION
      SELECT keep_proved.athlete_id, racing.start_of(a) FROM unnest(good) AS a
      UNION
      SELECT c.athlete_id, c.started_at FROM racing.claim AS c
      WHERE c.id = ANY (others) OR c.athlete_id = keep_proved.athlete_id AND c.strava_id = ANY (ids) AND c.rejected_at IS NULL
    ) AS x;
  locked := racing.lock_races(touched.athletes || array_fill(athlete_id, ARRAY[cardinality(starts)]),
    touched.starts || starts);
  races := ARRAY(
    SELECT DISTINCT r.id FROM unnest(touched.athletes, touched.starts) AS w (athlete_id, started_at)
    JOIN racing.entry AS e ON e.athlete_id = w.athlete_id AND e.race_id = ANY (locked)
    JOIN racing.race AS r ON r.id = e.race_id AND r.starts_at <= w.started_at AND w.started_at < r.ends_at);
  now := greatest(asked_at, settled.clock());

  FOREACH one IN ARRAY activities LOOP
    shown_id := trunc((one -> 'stravaId')::numeric)::bigint;
    SELECT a.* INTO old FROM racing.activity AS a WHERE a.strava_id = shown_id;
    SELECT c.* INTO claim FROM racing.claim AS c
      WHERE c.athlete_id = keep_proved.athlete_id AND c.strava_id = shown_id;
    IF one <> ALL (good) THEN
      PERFORM racing.reject(ARRAY[claim.id]);
      CONTINUE;
    ELSIF old.athlete_id <> keep_proved.athlete_id AND proves AND racing.may_displace(old) THEN
      PERFORM racing.displace(old, now);
      added := added || racing.add_proved(athlete_id, one, asked_at);
    ELSIF old.athlete_id <> keep_proved.athlete_id THEN
      IF proves AND old.disputed_at IS NULL AND racing.has_counted(old) THEN
        UPDATE racing.activity AS a SET disputed_at = now WHERE a.id = old.id;
        PERFORM settled.emit('activity.disputed', old.id::text, jsonb_build_object('activityId', old.id,
          'athleteId', old.athlete_id, 'stravaId', shown_id, 'claimedBy', keep_proved.athlete_id), now);
      END IF;
      PERFORM racing.reject(ARRAY[claim.id]);
      CONTINUE;
    END IF;
    UPDATE racing.activity AS a SET is_proved = true, proved_by = coalesce(account, a.proved_by)
      WHERE a.strava_id = shown_id AND (NOT a.is_proved OR a.proved_by IS DISTINCT FROM account);
    IF claim.id = ANY (added) AND racing.proves_claim(claim) THEN
      UPDATE racing.activity AS a
        SET late_for = racing.races_closed_to(a, now), is_changed_late = racing.changed_late(a, claim, now)
        WHERE a.id = claim.id;
    END IF;
    IF races <> '{}' AND NOT racing.proves_claim(claim) THEN
      UPDATE racing.activity AS a SET imported_at = now WHERE a.id = ANY (added) AND a.strava_id = shown_id;
    END IF;
    DELETE FROM racing.claim AS c WHERE c.id = claim.id;
    IF proves THEN
      PERFORM racing.reject(ARRAY(SELECT c.id FROM racing.claim AS c
        WHERE c.id = ANY (others) AND c.strava_id = shown_id));
    END IF;
  END LOOP;
  PERFORM racing.check_again(races);
END
$$;

-- Adds a proved activity that is not here, with the id of its athlete's claim, if there is one. Returns its id; null
-- where the provider's id is taken.
CREATE OR REPLACE FUNCTION racing.add_proved(athlete_id bigint, activity jsonb, now timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  given record;
  new racing.activity;
  claim racing.claim;
BEGIN
  given := racing.activity_content(activity);
  new := given.content;
  SELECT c.* INTO claim FROM racing.claim AS c
    WHERE c.athlete_id = add_proved.athlete_id AND c.strava_id = new.strava_id;
  INSERT INTO racing.activity AS a (id, athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
      distance, max_speed, start_latitude, start_longitude, end_latitude, end_longitude, polyline, content_hash,
      streams_digest, imported_at, visibility, provider_flagged, is_proved, shown_at)
    OVERRIDING SYSTEM VALUE
    VALUES (coalesce(claim.id, nextval('racing.activity_id_seq')), add_proved.athlete_id, new.strava_id, new.name,
      new.activity_type, new.started_at, new.elapsed_time, new.moving_time, new.distance, new.max_speed, new.start_latitude,
      new.start_longitude, new.end_latitude, new.end_longitude, new.polyline, new.content_hash, new.streams_digest,
      CASE WHEN racing.proves_claim(claim) THEN claim.claimed_at ELSE add_proved.now END,
      coalesce(new.visibility, 'only_me'), coalesce(new.provider_flagged, false), true, add_proved.now)
    ON CONFLICT ON CONSTRAINT activity_strava_id DO NOTHING
    RETURNING a.id INTO new.id;
  IF new.id IS NOT NULL AND given.times IS NOT NULL THEN
    INSERT INTO racing.activity_stream (activity_id, times, distances) VALUES (new.id, given.times, given.distances);
  END IF;
  RETURN new.id;
END
$$;

-- Locks an athlete of whom something was read. False: nothing is kept, because the athlete was erased or has
-- disconnected. One who has become a spectator is followed like others: entries and prizes are still theirs.
CREATE OR REPLACE FUNCTION racing.lock_reader(athlete_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM FROM racing.athlete AS a WHERE a.id = lock_reader.athlete_id FOR NO KEY UPDATE;
  RETURN EXISTS (
    SELECT FROM racing.athlete AS a JOIN strava.connection AS c ON c.athlete_id = a.id AND c.status <> 'revoked'
    WHERE a.id = lock_reader.athlete_id AND a.erased_at IS NULL);
END
$$;

-- Takes summaries that the provider shows as an athlete's, each once. Those that are here are followed, but not where
-- the app vouches for them (follows_switch). Of what nobody claims the streams of 25 at most are read, those with the
-- highest speed: no kilometre is faster than that. The others are kept at once. until_at: the end of the listing that
-- has them, if it is one before results. The caller has locked the athlete.
DROP FUNCTION IF EXISTS racing.take_summaries(bigint, jsonb[], integer, boolean);
CREATE OR REPLACE FUNCTION racing.take_summaries(
  athlete_id bigint, summaries jsonb[], class integer, follows_switch boolean, until_at timestamptz DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kept jsonb[] := '{}'::jsonb[];
  asked jsonb[] := '{}'::jsonb[];
  untils timestamptz[] := '{}'::timestamptz[];
  ids constant bigint[] := ARRAY(SELECT trunc((x -> 'stravaId')::numeric)::bigint FROM unnest(summaries) AS x);
  here bigint[];
  late constant timestamptz[] := CASE WHEN class = 0 AND NOT follows_switch THEN racing.unlisted_starts(athlete_id, until_at)
    ELSE '{}'::timestamptz[] END;
  classes integer[];
  followed integer := 0;
  judged record;
  one jsonb;
  account constant bigint := (
    SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = take_summaries.athlete_id);
BEGIN
  -- Before any race.
  PERFORM FROM racing.activity AS a WHERE a.strava_id = ANY (ids) ORDER BY a.id FOR NO KEY UPDATE;
  here := ARRAY(SELECT a.strava_id FROM racing.activity AS a
    WHERE a.strava_id = ANY (ids) AND a.athlete_id = take_summaries.athlete_id);
  FOREACH one IN ARRAY summaries LOOP
    judged := racing.judge_summary(athlete_id, one, class);
    IF judged.verdict = 'keep' THEN
      kept := kept || one;
    ELSIF judged.verdict = 'streams' THEN
      asked := asked || one;
      untils := untils || judged.streams_until;
    END IF;
  END LOOP;
  SELECT coalesce(array_agg(x.summary) FILTER (WHERE x.is_first OR x.is_claimed), '{}'),
      coalesce(array_agg(x.until) FILTER (WHERE x.is_first OR x.is_claimed), '{}'),
      coalesce(array_agg(CASE WHEN x.is_first THEN take_summaries.class ELSE greatest(take_summaries.class, 1) END)
        FILTER (WHERE x.is_first OR x.is_claimed), '{}'),
      kept || coalesce(array_agg(x.summary) FILTER (WHERE NOT x.is_first AND NOT x.is_claimed), '{}')
    INTO asked, untils, classes, kept
    FROM (
      SELECT y.summary, y.until, y.is_claimed, row_number() OVER (
          PARTITION BY y.is_claimed ORDER BY (y.summary ->> 'maxSpeed')::numeric DESC NULLS LAST, y.summary ->> 'stravaId')
        + (SELECT count(*) FROM strava.read_request AS q WHERE q.athlete_id = take_summaries.athlete_id
            AND q.class = take_summaries.class AND q.kind = 'streams') <= 25 AS is_first
      FROM (
        SELECT s.summary, s.until, EXISTS (SELECT FROM racing.claim AS c WHERE c.athlete_id = take_summaries.athlete_id
          AND c.strava_id = trunc((s.summary -> 'stravaId')::numeric)::bigint AND c.rejected_at IS NULL) AS is_claimed
        FROM unnest(asked, untils) AS s (summary, until)
      ) AS y
    ) AS x;
  -- Before any race, as claims are locked everywhere.
  PERFORM FROM racing.claim AS c
    WHERE c.athlete_id = take_summaries.athlete_id AND c.rejected_at IS NULL AND c.strava_id = ANY (ids)
    ORDER BY c.id FOR UPDATE;
  UPDATE racing.claim AS c SET shown_at = settled.clock()
    WHERE c.athlete_id = take_summaries.athlete_id AND c.rejected_at IS NULL AND c.strava_id = ANY (ids);
  PERFORM racing.keep_proved(athlete_id, kept, CASE WHEN follows_switch THEN '{}'::timestamptz[]
    ELSE racing.changed_starts(athlete_id, summaries) || late END);
  IF late <> '{}' THEN
    PERFORM racing.count_as_listed(athlete_id, ids, until_at);
    PERFORM racing.check_again(racing.lock_races(array_fill(athlete_id, ARRAY[cardinality(late)]), late));
  END IF;
  FOR one IN
    SELECT s.summary FROM unnest(summaries) AS s (summary)
    WHERE NOT follows_switch AND trunc((s.summary -> 'stravaId')::numeric)::bigint = ANY (here)
    ORDER BY (s.summary ->> 'maxSpeed')::numeric DESC NULLS LAST, s.summary ->> 'stravaId'
  LOOP
    IF racing.follow_fetched(athlete_id, one, followed >= 25) = 'streams' THEN
      asked := asked || one;
      untils := untils || racing.streams_until(athlete_id, one, NULL);
      classes := classes || take_summaries.class;
      followed := followed + 1;
    END IF;
  END LOOP;
  UPDATE racing.activity AS a SET shown_at = settled.clock(),
      proved_by = CASE WHEN a.is_proved THEN coalesce(account, a.proved_by) END
    WHERE a.strava_id = ANY (ids) AND a.athlete_id = take_summaries.athlete_id;
  PERFORM strava.ask_streams(
      athlete_id, trunc((x.summary -> 'stravaId')::numeric)::bigint, x.summary, x.until, x.class, follows_switch)
    FROM unnest(asked, untils, classes) AS x (summary, until, class);
END
$$;

-- Takes a page of an athlete's listing, {activities, since, before, isLast, askedAt, class, untilAt, followsSwitch}.
-- Behind the last page, open claims with a start in [since, before) that no page has shown are asked for by their ids,
-- before results also the athlete's activities. Of a listing that began before the athlete connected last nobody knows
-- whose account it shows: nothing of it is taken, and the athlete is listed again.
CREATE OR REPLACE FUNCTION racing.take_listing(athlete_id bigint, listing jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  class constant integer := (listing -> 'class')::integer;
  asked_at constant timestamptz := (listing ->> 'askedAt')::timestamptz;
BEGIN
  PERFORM settled.check_writer();
  IF NOT racing.lock_reader(athlete_id) THEN
    RETURN;
  ELSIF EXISTS (SELECT FROM strava.connection AS c WHERE c.athlete_id = take_listing.athlete_id
    AND c.changed_at > asked_at AND c.changed_at <= settled.clock())
  THEN
    PERFORM strava.ask_listing(athlete_id, (listing ->> 'since')::timestamptz, (listing ->> 'before')::timestamptz,
      (listing ->> 'untilAt')::timestamptz, class, coalesce((listing -> 'followsSwitch')::boolean, false));
    RETURN;
  END IF;
  PERFORM racing.take_summaries(athlete_id, ARRAY(
      SELECT DISTINCT ON ((a -> 'stravaId')::numeric) racing.known_visibility(a)
      FROM jsonb_array_elements(listing -> 'activities') AS a
      ORDER BY (a -> 'stravaId')::numeric),
    class, coalesce((listing -> 'followsSwitch')::boolean, false), (listing ->> 'untilAt')::timestamptz);
  IF (listing -> 'isLast')::boolean THEN
    PERFORM strava.ask_activity(c.athlete_id, c.strava_id, c.until_at, greatest(class, 1))
      FROM racing.claim AS c
      WHERE c.athlete_id = take_listing.athlete_id AND c.rejected_at IS NULL AND c.reason IS NULL
        AND c.started_at >= (listing ->> 'since')::timestamptz AND c.started_at < (listing ->> 'before')::timestamptz
        AND c.claimed_at <= asked_at AND (c.shown_at IS NULL OR c.shown_at < asked_at)
      ORDER BY c.claimed_at, c.id;
    IF class = 0 AND NOT coalesce((listing -> 'followsSwitch')::boolean, false) THEN
      PERFORM racing.ask_unshown(athlete_id, (listing ->> 'since')::timestamptz, (listing ->> 'before')::timestamptz,
        asked_at, (listing ->> 'untilAt')::timestamptz, 0);
    END IF;
  END IF;
END
$$;

-- Takes what the provider answered about one activity: `found` with its summary; `missing`, because there is none;
-- `foreign`, because it is another person's; `hidden`, for lack of a scope. Another account has no say in a claim.
CREATE OR REPLACE FUNCTION racing.take_activity(
  athlete_id bigint, activity_id bigint, outcome text, summary jsonb, class integer, until_at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
-- Each request has a time; nothing here depends on it.
-- @plpgsql_check_options: extra_warnings = off
DECLARE
  claimed bigint;
BEGIN
  PERFORM settled.check_writer();
  IF NOT racing.lock_reader(athlete_id) THEN
    RETURN;
  END IF;
  SELECT c.id INTO claimed FROM racing.claim AS c
    WHERE c.athlete_id = take_activity.athlete_id AND c.strava_id = activity_id AND c.rejected_at IS NULL;
  IF outcome = 'hidden' THEN
    PERFORM racing.note_hidden(athlete_id, activity_id);
    UPDATE racing.claim AS c SET reason = 'scope' WHERE c.id = claimed;
  ELSIF outcome IN ('missing', 'foreign') THEN
    IF outcome = 'missing' THEN
      PERFORM racing.note_deleted(athlete_id, activity_id);
    END IF;
    PERFORM racing.reject(ARRAY(SELECT c.id FROM racing.claim AS c
      WHERE c.id = claimed AND (c.account IS NULL OR racing.proves_claim(c))));
  ELSIF claimed IS NOT NULL
    OR EXISTS (SELECT FROM racing.activity AS a WHERE a.strava_id = activity_id AND a.athlete_id = take_activity.athlete_id)
  THEN
    PERFORM racing.take_summaries(athlete_id, ARRAY[racing.known_visibility(summary)], class, false);
  END IF;
END
$$;

-- Takes an activity with its streams, in the key `streams`, or without. One that is here gets streams that it lacked,
-- or the new content that they were read for, while racing.proof is on. The summary is that of an earlier read: it
-- brings nothing back that was deleted since, and changes nobody's view. What another account has shown is dropped.
CREATE OR REPLACE FUNCTION racing.take_streams(athlete_id bigint, summary jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_id constant bigint := trunc((summary -> 'stravaId')::numeric)::bigint;
  old racing.activity;
BEGIN
  PERFORM settled.check_writer();
  IF NOT racing.lock_reader(athlete_id) THEN
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM strava.read_request AS q JOIN strava.connection AS c ON c.athlete_id = q.athlete_id
    WHERE q.athlete_id = take_streams.athlete_id AND q.kind = 'streams' AND q.activity_id = shown_id
      AND q.account IS DISTINCT FROM c.provider_athlete_id)
  THEN
    RETURN;
  END IF;
  SELECT a.* INTO old FROM racing.activity AS a WHERE a.athlete_id = take_streams.athlete_id AND a.strava_id = shown_id;
  IF old.deleted_at IS NOT NULL OR old.forgotten_at IS NOT NULL THEN
    RETURN;
  END IF;
  summary := racing.known_visibility(summary) || CASE WHEN old.id IS NULL THEN '{}'
    ELSE jsonb_build_object('visibility', old.visibility, 'flagged', old.provider_flagged) END;
  -- Refuses what cannot be kept, before anything is locked.
  PERFORM racing.activity_content(summary);
  IF old.id IS NULL THEN
    PERFORM racing.keep_proved(athlete_id, ARRAY[summary]);
    PERFORM racing.count_as_listed(athlete_id, ARRAY[shown_id], (SELECT q.until_at FROM strava.read_request AS q
      WHERE q.athlete_id = take_streams.athlete_id AND q.kind = 'streams' AND q.activity_id = shown_id));
  ELSIF settled.setting('racing.proof') <> 'on' THEN
    RETURN;
  ELSIF jsonb_typeof(summary -> 'streams') = 'object' THEN
    PERFORM racing.take_import(athlete_id, summary, true);
  ELSE
    PERFORM racing.follow_fetched(athlete_id, summary - 'streams', true);
  END IF;
END
$$;

-- The time of a read is over. kind: `listing`, `activity` or `streams`. What was shown is kept without its streams; of
-- an activity or of a listing the claims are rejected whose own time is over. A listing that the limit of reads has
-- prevented is asked for once more.
CREATE OR REPLACE FUNCTION racing.end_read(athlete_id bigint, kind text, activity_id bigint, summary jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  IF kind = 'streams' THEN
    PERFORM racing.take_streams(athlete_id, summary);
  END IF;
  PERFORM FROM racing.athlete AS a WHERE a.id = end_read.athlete_id FOR NO KEY UPDATE;
  PERFORM racing.reject(ARRAY(SELECT c.id FROM racing.claim AS c
    WHERE c.athlete_id = end_read.athlete_id AND c.rejected_at IS NULL AND c.until_at <= settled.clock()
      AND (kind = 'listing' OR c.strava_id = activity_id)));
  -- It locks the connection, which is locked behind claims and races.
  IF kind = 'listing' THEN
    PERFORM racing.ask_unlisted(athlete_id);
  END IF;
END
$$;

SELECT strava.register_reader(
  take_listing => 'racing.take_listing(bigint, jsonb)',
  take_activity => 'racing.take_activity(bigint, bigint, text, jsonb, integer, timestamptz)',
  take_streams => 'racing.take_streams(bigint, jsonb)',
  end_read => 'racing.end_read(bigint, text, bigint, jsonb)',
  demand => 'racing.reads_needed(timestamptz, timestamptz)');

SELECT settled.declare_callers('racing', daemon => '{take_listing, take_activity, take_streams, end_read}');
