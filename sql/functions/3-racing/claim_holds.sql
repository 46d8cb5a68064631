-- How long open claims hold the races that they may count in. Source: Racing.docc/Holds.md, "Claims".

-- Whether a claim is open because its read is in line: nothing but the provider's limit of reads delays it. A claim
-- whose read failed, or waits for the athlete to connect or for a scope, is not in line. The classes are those of
-- entrants: nobody lengthens a hold by reads that come last.
CREATE OR REPLACE FUNCTION racing.awaits_read(claim bigint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM racing.claim AS c
    JOIN strava.connection AS n ON n.athlete_id = c.athlete_id AND n.status = 'active'
      AND n.expires_at > settled.clock() AND n.expires_at IS DISTINCT FROM n.refused_expiry
    JOIN strava.read_request AS q ON q.athlete_id = c.athlete_id AND q.class < 2
    WHERE c.id = awaits_read.claim AND c.rejected_at IS NULL AND c.reason IS NULL AND q.next_call_at IS NULL
      AND q.failures = 0 AND (q.kind = 'listing' OR q.activity_id = c.strava_id))
$$;

-- The entrants of races that have ended whom nobody could list because the limit of reads was used up, and those of
-- them whose late listing or streams are still to be read. Their races wait, at most until the end of the review hold:
-- only what the provider shows counts. Streams alone that the limit prevented before the due instant hold no race.
-- Source: Racing.docc/Holds.md, "Entrants who are not listed".
CREATE OR REPLACE FUNCTION racing.unlisted_entrants(races bigint[])
RETURNS TABLE (race_id bigint, athlete_id bigint)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH waiting AS MATERIALIZED (
    SELECT w.athlete_id, w.until_at FROM strava.waiting_results(ARRAY(
      SELECT DISTINCT r.due_at + r.review_hold FROM racing.race AS r
      WHERE r.id = ANY (races) AND r.status = 'ended')) AS w
  ), unread AS MATERIALIZED (
    -- The daemon has not ended these listings yet, and asks for them once more when it does.
    SELECT u.athlete_id, u.until_at FROM strava.unread_results((
      SELECT array_agg(e.athlete_id) FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
      WHERE r.id = ANY (races) AND r.status = 'ended' AND e.status = 'entered')) AS u
    WHERE EXISTS (SELECT FROM strava.read_request AS q WHERE q.class = 0 AND q.kind = 'listing')
  )
  SELECT e.race_id, e.athlete_id
  FROM racing.race AS r
  JOIN racing.entry AS e ON e.race_id = r.id AND e.status NOT IN ('disqualified', 'refunded')
  JOIN waiting AS w ON w.athlete_id = e.athlete_id AND w.until_at = r.due_at + r.review_hold
  WHERE r.id = ANY (races) AND r.status = 'ended' AND EXISTS (SELECT FROM waiting)
  UNION
  SELECT e.race_id, e.athlete_id
  FROM unread AS u
  JOIN racing.entry AS e ON e.athlete_id = u.athlete_id AND e.race_id = ANY (races) AND e.status = 'entered'
  JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'ended'
    AND u.until_at BETWEEN r.due_at - interval '5 minutes' AND r.due_at
$$;

-- Asks once more, behind the due instant, for the listings before results that the limit of reads has prevented. What
-- was to be read first still is.
CREATE OR REPLACE FUNCTION racing.ask_unlisted(athlete_id bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask_listing(ask_unlisted.athlete_id, x.since, x.before, x.until_at, 0, due_at => x.former)
  FROM (
    SELECT min(r.starts_at) AS since, max(r.ends_at) AS before, r.due_at + r.review_hold AS until_at, min(u.until_at) AS former
    FROM strava.unread_results(ARRAY[ask_unlisted.athlete_id]) AS u
    JOIN racing.entry AS e ON e.athlete_id = ask_unlisted.athlete_id AND e.status = 'entered'
    JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'ended'
      AND u.until_at BETWEEN r.due_at - interval '5 minutes' AND r.due_at
    GROUP BY r.due_at + r.review_hold
  ) AS x
$$;

-- The starts of the races, past their due instant, that an athlete's listing of this end was asked for.
CREATE OR REPLACE FUNCTION racing.unlisted_starts(athlete_id bigint, until_at timestamptz)
RETURNS timestamptz[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ARRAY(
    SELECT r.starts_at FROM racing.entry AS e
    JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'ended' AND r.due_at <= settled.clock()
      AND r.due_at + r.review_hold = unlisted_starts.until_at
    WHERE e.athlete_id = unlisted_starts.athlete_id)
$$;

-- What a listing behind the due instant shows counts as it would have in time, in the races that waited for the
-- listing: also what was claimed too late meanwhile. Nobody knows whether it was at the provider in time, so it is
-- reviewed. The caller has locked the athlete, the activities and these races.
CREATE OR REPLACE FUNCTION racing.count_as_listed(athlete_id bigint, shown bigint[], until_at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE racing.activity AS a SET imported_at = x.due_at - interval '1 microsecond', is_changed_late = true
    FROM (
      SELECT b.id, min(r.due_at) AS due_at
      FROM racing.activity AS b
      JOIN racing.entry AS e ON e.athlete_id = b.athlete_id
      JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'ended'
        AND r.starts_at <= b.started_at AND b.started_at < r.ends_at
        AND r.due_at + r.review_hold = count_as_listed.until_at
      WHERE b.athlete_id = count_as_listed.athlete_id AND b.strava_id = ANY (shown) AND b.is_proved
      GROUP BY b.id
    ) AS x
    WHERE a.id = x.id AND a.imported_at >= x.due_at;
  SELECT racing.review_doubted(ARRAY(SELECT a.id FROM racing.activity AS a
    WHERE a.athlete_id = count_as_listed.athlete_id AND a.strava_id = ANY (shown)), settled.clock());
$$;

-- What operators have to know about claims, and about entrants who are not listed, that races wait for; null where none
-- waits. Races are those past their due instant, a thousand at most, along the index of what is due.
CREATE OR REPLACE FUNCTION racing.claims_problem()
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  short_at constant timestamptz := strava.reads_short_at();
  waiting bigint;
  unread bigint;
  unlisted bigint;
BEGIN
  IF short_at IS NOT NULL AND EXISTS (SELECT FROM strava.read_request AS q WHERE q.class = 0 AND q.next_call_at IS NULL) THEN
    SELECT count(DISTINCT u.athlete_id) INTO unlisted FROM racing.unlisted_entrants(ARRAY(
      SELECT x.id FROM racing.race AS x
      WHERE x.settle_due_at IS NOT NULL AND x.status = 'ended' AND x.next_check_at > x.due_at
      ORDER BY x.settle_due_at LIMIT 1000)) AS u;
  END IF;
  IF EXISTS (SELECT FROM racing.claim AS c WHERE c.rejected_at IS NULL) THEN
    SELECT count(DISTINCT c.id), count(DISTINCT c.id) FILTER (WHERE short_at > r.due_at AND racing.awaits_read(c.id))
    INTO waiting, unread
    FROM (
      SELECT x.due_at, x.waiting_activities FROM racing.race AS x
      WHERE x.settle_due_at IS NOT NULL AND x.status = 'ended' AND x.waiting_activities <> '{}'
      ORDER BY x.settle_due_at LIMIT 1000
    ) AS r, unnest(r.waiting_activities) AS w(id)
    JOIN racing.claim AS c ON c.id = w.id AND c.rejected_at IS NULL;
  END IF;
  RETURN nullif(concat_ws('; ',
    CASE WHEN waiting > 0 THEN format('%s open %s past their due instant', waiting,
      CASE waiting WHEN 1 THEN 'claim delays races' ELSE 'claims delay races' END) END,
    CASE WHEN unread > 0 THEN format('%s %s because the provider''s read limit is used up', unread,
      CASE unread WHEN 1 THEN 'is waiting' ELSE 'are waiting' END) END,
    CASE WHEN unlisted > 0 THEN format(
      'races are waiting for the activities of %s to be listed, because the provider''s read limit is used up',
      CASE unlisted WHEN 1 THEN '1 entrant' ELSE unlisted || ' entrants' END) END), '');
END
$$;

SELECT settled.declare_callers('racing', daemon => '{awaits_read, unlisted_entrants, claims_problem}');
