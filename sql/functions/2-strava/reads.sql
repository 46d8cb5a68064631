-- What is to be read with athletes' tokens, in one queue. Source: Strava.docc/Reads.md.

-- The first turn of the reads for results, in class 0, by the instant until which they are wanted, or at which they
-- are due.
CREATE OR REPLACE FUNCTION strava.result_turn(until_at timestamptz)
RETURNS bigint
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT floor(extract(epoch FROM until_at))::bigint * 1000000
$$;

-- The turn of an athlete's next read. In class 0 it follows the athlete's other reads for the same results. Elsewhere
-- it is the turn that is being served, or the one after the athlete's last: so nobody's second read comes before
-- another's first. The caller has locked the connection.
CREATE OR REPLACE FUNCTION strava.next_turn(
  athlete_id bigint, class integer, until_at timestamptz, due_at timestamptz DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  turn bigint;
BEGIN
  IF class = 0 THEN
    RETURN strava.result_turn(coalesce(due_at, until_at)) + (
      SELECT least(count(*), 999999) FROM strava.read_request AS r
      WHERE r.athlete_id = next_turn.athlete_id AND r.class = 0 AND r.until_at = next_turn.until_at);
  END IF;
  UPDATE strava.connection AS c
    SET read_turns[class] = greatest(c.read_turns[class] + 1, (SELECT p.read_turns[class] FROM strava.provider AS p))
    WHERE c.athlete_id = next_turn.athlete_id
    RETURNING c.read_turns[class] INTO turn;
  RETURN turn;
END
$$;

-- When a new request of an athlete is in line: at once (null), a minute after the latest listing began, or with
-- the next token.
CREATE OR REPLACE FUNCTION strava.first_call_at(c strava.connection, kind text, now timestamptz)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE
    WHEN c.status <> 'active' OR c.refused_expiry = c.expires_at THEN 'infinity'
    WHEN kind = 'listing' AND c.listed_at BETWEEN now - interval '1 minute' AND now THEN c.listed_at + interval '1 minute'
  END
$$;

-- Asks for a read; one that is there is widened, lasts longer, keeps the better class, and no longer waits for its
-- second look. Nothing is asked for an athlete without a connection, nor what is too late. due_at: when the results are
-- due that it serves, where that is not until_at. The caller may hold the athlete and races.
CREATE OR REPLACE FUNCTION strava.ask(
  athlete_id bigint, kind text, activity_id bigint, until_at timestamptz, class integer, follows_switch boolean,
  since timestamptz DEFAULT NULL, before timestamptz DEFAULT NULL, summary jsonb DEFAULT NULL,
  due_at timestamptz DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz;
  c strava.connection;
  r strava.read_request;
  is_wider boolean;
BEGIN
  SELECT x.* INTO c FROM strava.connection AS x WHERE x.athlete_id = ask.athlete_id FOR NO KEY UPDATE;
  now := settled.clock();
  IF c.athlete_id IS NULL OR c.status = 'revoked' OR ask.until_at <= now THEN
    RETURN;
  END IF;
  SELECT x.* INTO r FROM strava.read_request AS x
    WHERE x.athlete_id = ask.athlete_id AND x.kind = ask.kind AND x.activity_id = ask.activity_id
      AND (ask.kind <> 'listing' OR CASE ask.class WHEN 0 THEN x.class = 0 AND x.until_at = ask.until_at ELSE x.class > 0 END)
    FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO strava.read_request AS x (
        athlete_id, kind, activity_id, class, turn, asked_at, next_call_at, until_at, follows_switch, since, before, page,
        summary, account)
      VALUES (ask.athlete_id, ask.kind, ask.activity_id, ask.class,
        strava.next_turn(ask.athlete_id, ask.class, ask.until_at, ask.due_at), now, strava.first_call_at(c, ask.kind, now), ask.until_at,
        ask.follows_switch, ask.since, ask.before, CASE ask.kind WHEN 'listing' THEN 1 END, ask.summary,
        CASE WHEN ask.summary IS NOT NULL THEN c.provider_athlete_id END);
    RETURN;
  END IF;
  is_wider := coalesce(ask.since < r.since OR ask.before > r.before, false);
  UPDATE strava.read_request AS x SET
      class = least(r.class, ask.class),
      turn = CASE WHEN ask.class < r.class
        THEN strava.next_turn(ask.athlete_id, ask.class, ask.until_at, ask.due_at) ELSE r.turn END,
      asked_at = now,
      -- Streams for results are known by the end of the results.
      until_at = CASE WHEN ask.kind = 'streams' AND ask.class = 0 THEN ask.until_at
        ELSE greatest(r.until_at, ask.until_at) END,
      follows_switch = r.follows_switch AND ask.follows_switch,
      since = least(r.since, ask.since),
      before = greatest(r.before, ask.before),
      summary = coalesce(ask.summary, r.summary),
      account = CASE WHEN ask.summary IS NOT NULL THEN c.provider_athlete_id ELSE r.account END,
      was_read = r.was_read AND NOT is_wider,
      -- What is being listed at this moment is not enough.
      page = CASE WHEN is_wider THEN 1 ELSE r.page END,
      began_at = CASE WHEN is_wider THEN NULL ELSE r.began_at END,
      next_call_at = CASE WHEN r.next_call_at = 'infinity' OR r.failures > 0 THEN r.next_call_at
        WHEN r.next_call_at > now THEN strava.first_call_at(c, r.kind, now) ELSE r.next_call_at END
    WHERE x.id = r.id;
END
$$;

-- Asks for a listing of the athlete's activities that started in [since, before), until an instant.
-- follows_switch: it is dropped where strava.import is off. due_at: as in strava.ask.
CREATE OR REPLACE FUNCTION strava.ask_listing(
  athlete_id bigint, since timestamptz, before timestamptz, until_at timestamptz, class integer,
  follows_switch boolean DEFAULT false, due_at timestamptz DEFAULT NULL)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask(athlete_id, 'listing', 0, until_at, class, follows_switch, since, before, due_at => due_at)
$$;

-- Asks for one activity by its id at the provider.
CREATE OR REPLACE FUNCTION strava.ask_activity(
  athlete_id bigint, activity_id bigint, until_at timestamptz, class integer, follows_switch boolean DEFAULT false)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask(athlete_id, 'activity', activity_id, until_at, class, follows_switch)
$$;

-- Asks for the streams of an activity whose summary is known.
CREATE OR REPLACE FUNCTION strava.ask_streams(
  athlete_id bigint, activity_id bigint, summary jsonb, until_at timestamptz, class integer,
  follows_switch boolean DEFAULT false)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask(athlete_id, 'streams', activity_id, until_at, class, follows_switch, summary => summary)
$$;

-- Asks for listings of many athletes before their results, in class 0: as ask_listing for each. In the order of a hash:
-- where the budget is too small for all, it is not always the same athletes who come last.
CREATE OR REPLACE FUNCTION strava.ask_listings(
  athletes bigint[], since timestamptz[], before timestamptz[], until_at timestamptz[], follows_switch boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  -- A race's end waits for nobody: where another transaction holds the connection, its token may come or go meanwhile,
  -- so that the request is in line and is found to be readable or not by each claim.
  WITH known AS MATERIALIZED (
    SELECT c.athlete_id FROM strava.connection AS c WHERE c.athlete_id = ANY (athletes) FOR SHARE SKIP LOCKED
  )
  INSERT INTO strava.read_request AS r (
      athlete_id, kind, class, turn, asked_at, next_call_at, until_at, follows_switch, since, before, page)
    SELECT a.athlete_id, 'listing', 0, strava.result_turn(a.until_at), t.now,
      CASE WHEN k.athlete_id IS NOT NULL THEN strava.first_call_at(c, 'listing', t.now) END, a.until_at,
      ask_listings.follows_switch, a.since, a.before, 1
    FROM settled.clock() AS t (now)
    CROSS JOIN unnest(athletes, ask_listings.since, ask_listings.before, ask_listings.until_at)
      AS a (athlete_id, since, before, until_at)
    JOIN strava.connection AS c ON c.athlete_id = a.athlete_id AND c.status <> 'revoked'
    LEFT JOIN known AS k ON k.athlete_id = a.athlete_id
    WHERE a.until_at > t.now
    ORDER BY hashint8extended(a.athlete_id, extract(epoch FROM a.until_at)::bigint), a.athlete_id, a.until_at
  ON CONFLICT (athlete_id, until_at) WHERE kind = 'listing' AND class = 0 DO UPDATE SET
    asked_at = excluded.asked_at,
    follows_switch = r.follows_switch AND excluded.follows_switch,
    since = least(r.since, excluded.since),
    before = greatest(r.before, excluded.before),
    -- What is being listed at this moment is not enough.
    page = 1,
    began_at = NULL,
    was_read = false,
    next_call_at = excluded.next_call_at
    WHERE excluded.since < r.since OR excluded.before > r.before OR r.follows_switch AND NOT excluded.follows_switch;
END
$$;

-- The same, for callers of former releases, while strava.import is on.
CREATE OR REPLACE FUNCTION strava.request_imports(
  athletes bigint[], since timestamptz[], before timestamptz[], until_at timestamptz[])
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask_listings(athletes, since, before, until_at, true)
$$;

-- Drops what is to be read of an athlete: all of it, or of one activity.
CREATE OR REPLACE FUNCTION strava.drop_reads(athlete_id bigint, activity_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM strava.read_request AS r
    WHERE r.athlete_id = drop_reads.athlete_id
      AND (drop_reads.activity_id IS NULL OR r.activity_id = drop_reads.activity_id)
$$;

-- Takes an athlete's reads out of the line until the next token. The caller has locked the connection.
CREATE OR REPLACE FUNCTION strava.hold_reads(athlete_id bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE strava.read_request AS r
    SET next_call_at = 'infinity', page = CASE r.kind WHEN 'listing' THEN 1 END, began_at = NULL
    WHERE r.athlete_id = hold_reads.athlete_id AND r.next_call_at IS NULL
$$;

-- Puts the reads that wait for an athlete's token in line, as if they were asked for now: what the limit prevented
-- before was not theirs. The caller has locked the connection.
CREATE OR REPLACE FUNCTION strava.resume_reads(athlete_id bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE strava.read_request AS r SET next_call_at = NULL, asked_at = settled.clock()
    WHERE r.athlete_id = resume_reads.athlete_id AND r.next_call_at = 'infinity'
$$;

-- Whether an athlete has agreed to a scope that connections need.
CREATE OR REPLACE FUNCTION strava.has_scope(athlete_id bigint, scope text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM strava.connection AS c
    WHERE c.athlete_id = has_scope.athlete_id AND has_scope.scope <> ALL (c.missing_scopes));
END
$$;

-- The latest instant at which a read for results or of an entrant's claim was not made because its budget was used up;
-- null: never. While such reads wait they ask every few seconds.
CREATE OR REPLACE FUNCTION strava.reads_short_at()
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT max(w.short_at) FROM settled.call_window AS w WHERE w.budget IN ('strava-reads', 'strava-reads-claims'));
END
$$;

-- The ends of these athletes' listings before results whose time is over unread, though nothing was in their way but
-- the limit of reads, which was used up since they were asked for. One that was read and waited for its second look is
-- not among them.
DROP FUNCTION IF EXISTS strava.unread_results(bigint);
CREATE OR REPLACE FUNCTION strava.unread_results(athletes bigint[])
RETURNS TABLE (athlete_id bigint, until_at timestamptz)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT c.athlete_id, r.until_at
  FROM strava.connection AS c
  JOIN strava.read_request AS r ON r.athlete_id = c.athlete_id AND r.class = 0 AND r.kind = 'listing'
    AND r.until_at <= settled.clock() AND r.next_call_at IS NULL AND r.failures = 0 AND NOT r.follows_switch
  WHERE c.athlete_id = ANY (athletes) AND c.status = 'active' AND c.expires_at > settled.clock()
    AND c.expires_at IS DISTINCT FROM c.refused_expiry AND NOT r.was_read
    AND (SELECT max(w.short_at) FROM settled.call_window AS w WHERE w.budget = 'strava-reads') >= r.asked_at
$$;

-- The athletes of whom something is still to be read for results, until one of these instants, with a token that lasts.
CREATE OR REPLACE FUNCTION strava.waiting_results(untils timestamptz[])
RETURNS TABLE (athlete_id bigint, until_at timestamptz)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT DISTINCT r.athlete_id, r.until_at
  FROM strava.read_request AS r
  JOIN strava.connection AS c ON c.athlete_id = r.athlete_id AND c.status = 'active'
    AND c.expires_at > settled.clock() AND c.expires_at IS DISTINCT FROM c.refused_expiry
  WHERE r.until_at = ANY (untils) AND r.class = 0 AND r.failures = 0 AND NOT r.follows_switch
    AND r.next_call_at IS DISTINCT FROM 'infinity'
$$;

-- Moves what a former release has asked for into the queue.
CREATE OR REPLACE FUNCTION strava.move_requests()
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH former AS (DELETE FROM strava.import_request RETURNING *)
  INSERT INTO strava.read_request (
      athlete_id, kind, class, turn, asked_at, next_call_at, until_at, follows_switch, since, before, page)
    SELECT f.athlete_id, 'listing', 0, strava.result_turn(f.until_at), least(f.next_call_at, f.until_at), f.next_call_at,
      f.until_at, true, f.since, f.before, 1
    FROM former AS f
  ON CONFLICT DO NOTHING;
  WITH former AS (DELETE FROM strava.found_activity RETURNING *)
  INSERT INTO strava.read_request (
      athlete_id, kind, activity_id, class, turn, asked_at, until_at, follows_switch, summary)
    SELECT f.athlete_id, 'streams', f.activity_id, 0,
      strava.result_turn(f.until_at) + row_number() OVER (PARTITION BY f.athlete_id ORDER BY f.activity_id), f.found_at,
      f.until_at, true, f.summary
    FROM former AS f
  ON CONFLICT DO NOTHING
$$;
SELECT strava.move_requests();

SELECT settled.declare_callers('strava',
  daemon => '{
    result_turn, next_turn, first_call_at, ask, ask_listing, ask_activity, ask_streams, ask_listings, request_imports,
    drop_reads, hold_reads, resume_reads, has_scope, reads_short_at, unread_results, waiting_results}');
