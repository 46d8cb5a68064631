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

-- What operators have to know about claims that races wait for; null where none waits. Races are those past their due
-- instant, a thousand at most, along the index of what is due.
CREATE OR REPLACE FUNCTION racing.claims_problem()
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  short_at constant timestamptz := strava.reads_short_at();
  waiting bigint;
  unread bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM racing.claim AS c WHERE c.rejected_at IS NULL) THEN
    RETURN NULL;
  END IF;
  SELECT count(DISTINCT c.id), count(DISTINCT c.id) FILTER (WHERE short_at > r.due_at AND racing.awaits_read(c.id))
  INTO waiting, unread
  FROM (
    SELECT x.due_at, x.waiting_activities FROM racing.race AS x
    WHERE x.settle_due_at IS NOT NULL AND x.status = 'ended' AND x.waiting_activities <> '{}'
    ORDER BY x.settle_due_at LIMIT 1000
  ) AS r, unnest(r.waiting_activities) AS w(id)
  JOIN racing.claim AS c ON c.id = w.id AND c.rejected_at IS NULL;
  RETURN CASE WHEN waiting > 0 THEN format('%s open %s past their due instant', waiting,
      CASE waiting WHEN 1 THEN 'claim delays races' ELSE 'claims delay races' END)
    || CASE WHEN unread > 0 THEN format('; %s %s because the provider''s limit of reads is used up', unread,
      CASE unread WHEN 1 THEN 'waits' ELSE 'wait' END) ELSE '' END END;
END
$$;

SELECT settled.declare_callers('racing', daemon => '{awaits_read, claims_problem}');
