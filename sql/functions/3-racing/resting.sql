-- Prizes rest before they can be withdrawn. Source: Racing.docc/Ledger.md, "Prizes rest".

-- What still rests of each prize and positive correction of an athlete at an instant, and until when.
--
-- A gain counts as far as it came into the wallet. A loss counts whole, with what was owed for it, and takes from the
-- newest gain of its race first. So the largest sum of the newest amounts of a race rests, and each gain has the part
-- by which it raises that sum.
--
-- Walks the postings of entries from the newest to one that is an hour older than any that rests, one look into the
-- index posting_of_entries for each; only that index has the order of the pairs. Postings of one wallet follow in time,
-- but one that waited for the wallet's lock is a little older.
CREATE OR REPLACE FUNCTION racing.resting_parts(athlete_id bigint, now timestamptz)
RETURNS TABLE (pence bigint, until timestamptz)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  rest constant interval := settled.setting_span('racing.prize_rest');
BEGIN
  RETURN QUERY
    WITH RECURSIVE walk AS (
      SELECT resting_parts.athlete_id AS athlete_id, 9223372036854775807 AS id, NULL::text AS account,
        NULL::bigint AS amount_pence, NULL::text AS kind, NULL::bigint AS race_id,
        timestamptz 'infinity' AS occurred_at
      UNION ALL
      SELECT older.* FROM walk AS w CROSS JOIN LATERAL (
        SELECT p.athlete_id, p.id, p.account, p.amount_pence, j.kind, j.race_id, j.occurred_at
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE p.entry_id IS NOT NULL AND p.athlete_id IS NOT NULL
          AND (p.athlete_id, p.id) < (resting_parts.athlete_id, w.id)
        ORDER BY p.athlete_id DESC, p.id DESC LIMIT 1
      ) AS older
      WHERE older.athlete_id = resting_parts.athlete_id
        AND w.occurred_at > resting_parts.now - rest - interval '1 hour'
    ), summed AS (
      SELECT w.id, w.race_id, w.occurred_at,
        greatest(0, sum(w.amount_pence) OVER (PARTITION BY w.race_id ORDER BY w.occurred_at DESC, w.id DESC)) AS total
      FROM walk AS w
      WHERE w.kind IN ('prize', 'correction') AND (w.account = 'wallet' OR w.amount_pence < 0)
        AND w.occurred_at > resting_parts.now - rest
    ), raised AS (
      SELECT s.occurred_at, s.total - coalesce(max(s.total) OVER (
        PARTITION BY s.race_id ORDER BY s.occurred_at DESC, s.id DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS part
      FROM summed AS s
    )
    SELECT r.part::bigint, r.occurred_at + rest FROM raised AS r WHERE r.part > 0;
END
$$;

-- The part of a balance that rests.
CREATE OR REPLACE FUNCTION racing.resting_pence(athlete_id bigint, balance_pence bigint, now timestamptz)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT least(resting_pence.balance_pence, coalesce(sum(r.pence), 0)::bigint)
  FROM racing.resting_parts(resting_pence.athlete_id, resting_pence.now) AS r
$$;

-- The first instant at which so much of a balance rests no longer, if nothing else happens; null where it is now.
CREATE OR REPLACE FUNCTION racing.rests_until(
  athlete_id bigint, balance_pence bigint, amount_pence bigint, now timestamptz)
RETURNS timestamptz
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT min(p.until)
  FROM (
    SELECT r.until, sum(r.pence) OVER (
      ORDER BY r.until DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP) AS later
    FROM racing.resting_parts(rests_until.athlete_id, rests_until.now) AS r
  ) AS p
  WHERE coalesce(p.later, 0) <= rests_until.balance_pence - rests_until.amount_pence
$$;

-- Whether an amount can be withdrawn. SD402 `resting` where too much of the balance rests, with the instant from which
-- the amount can go. The caller has locked the wallet, and its balance holds the amount.
CREATE OR REPLACE FUNCTION racing.check_rested(
  athlete_id bigint, balance_pence bigint, amount_pence bigint, now timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  withdrawable bigint := balance_pence - racing.resting_pence(athlete_id, balance_pence, now);
  until text;
BEGIN
  IF amount_pence > withdrawable THEN
    -- Shown in milliseconds, of which none may be too early.
    until := settled.iso(racing.rests_until(athlete_id, balance_pence, amount_pence, now) + interval '999 microseconds');
    PERFORM settled.fail('SD402', 'resting',
      format('recent prizes cannot be withdrawn yet: %s pounds can be withdrawn now, and the requested amount from %s',
        trim_scale(withdrawable * 0.01), until),
      jsonb_build_object('withdrawablePence', withdrawable, 'until', until));
  END IF;
END
$$;
