-- Recomputes the books from their postings, in one statement and so from one snapshot, and lists every difference:
--   wallet, pending, receivable  what the wallet row stores, against the sum of the postings;
--   withdrawals                  the sum of an athlete's pending postings, against the withdrawals that have not ended;
--   journal ID                   the sum of a journal, against zero;
--   pool ID                      the sum in a race's pool, against the fees it must hold: none once the race is settled
--                                or cancelled, else those of the entries whose refund is not booked;
--   double ID                    what a journal booked again under its key moved in a wallet, against zero: until all
--                                journals of the key but one are charged back, or failed.
CREATE OR REPLACE FUNCTION racing.verify_ledger()
RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH posted AS (
    SELECT p.account, p.athlete_id, p.race_id, sum(p.amount_pence) AS pence
    FROM racing.posting AS p GROUP BY p.account, p.athlete_id, p.race_id
  ), stored AS (
    SELECT s.account, w.athlete_id, s.pence
    FROM racing.wallet AS w,
      LATERAL (VALUES ('wallet', w.balance_pence), ('pending', w.pending_pence), ('receivable', w.receivable_pence))
        AS s (account, pence)
  ), personal AS (
    SELECT account, athlete_id, coalesce(s.pence, 0) AS stored,
      coalesce(CASE WHEN account = 'receivable' THEN -p.pence ELSE p.pence END, 0) AS computed
    FROM stored AS s
    FULL JOIN (SELECT * FROM posted WHERE athlete_id IS NOT NULL) AS p USING (account, athlete_id)
  ), withdrawal AS (
    SELECT athlete_id, coalesce(w.pence, 0) AS stored, coalesce(o.pence, 0) AS computed
    FROM (SELECT p.athlete_id, p.pence FROM posted AS p WHERE p.account = 'pending') AS w
    FULL JOIN (
      SELECT p.athlete_id, -sum(p.amount_pence) AS pence
      FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
      WHERE j.kind = 'withdrawal' AND p.account = 'wallet' AND p.amount_pence < 0
        AND NOT EXISTS (SELECT FROM racing.transaction_end AS e WHERE e.posting_id = p.id)
      GROUP BY p.athlete_id
    ) AS o USING (athlete_id)
  ), refunded AS (
    -- Unless the pool has got the fee again, for an entry that came back.
    SELECT p.entry_id
    FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
    WHERE p.entry_id IS NOT NULL AND j.kind IN ('refund', 'correction')
      AND (p.account = 'pool' OR p.account = 'wallet' AND p.amount_pence > 0)
    GROUP BY p.entry_id
    HAVING coalesce(sum(p.amount_pence) FILTER (WHERE p.account = 'pool'), -1) < 0
  ), pool AS (
    -- Joined: asked race by race, all that is posted would be read for each of them.
    SELECT r.id AS race_id, coalesce(p.pence, 0) AS stored,
      CASE WHEN r.status IN ('settled', 'cancelled') THEN 0 ELSE coalesce(e.fees, 0) END AS computed
    FROM racing.race AS r
    LEFT JOIN (SELECT p.race_id, p.pence FROM posted AS p WHERE p.account = 'pool') AS p ON p.race_id = r.id
    LEFT JOIN (
      SELECT e.race_id, sum(e.fee_pence) AS fees FROM racing.entry AS e
      WHERE NOT EXISTS (SELECT FROM refunded AS f WHERE f.entry_id = e.id)
      GROUP BY e.race_id
    ) AS e ON e.race_id = r.id
  ), booking AS (
    SELECT d.double_of, d.journal_id FROM racing.journal_double AS d
    UNION SELECT d.double_of, d.double_of FROM racing.journal_double AS d
  ), standing AS (
    -- Of the bookings under one key, those that were not taken back: the first of them is right.
    SELECT b.journal_id, p.athlete_id, p.amount_pence,
      rank() OVER (PARTITION BY b.double_of ORDER BY b.journal_id) AS place
    FROM booking AS b JOIN racing.posting AS p ON p.journal_id = b.journal_id AND p.account = 'wallet'
    LEFT JOIN racing.transaction_end AS e ON e.posting_id = p.id AND e.status = 'failed'
    WHERE e.posting_id IS NULL
  ), difference AS (
    SELECT account, athlete_id, stored, computed, 1 AS part, athlete_id AS place FROM personal WHERE stored <> computed
    UNION ALL
    SELECT 'withdrawals', athlete_id, stored, computed, 1, athlete_id FROM withdrawal WHERE stored <> computed
    UNION ALL
    SELECT format('journal %s', p.journal_id), NULL, sum(p.amount_pence), 0, 2, p.journal_id
    FROM racing.posting AS p GROUP BY p.journal_id HAVING sum(p.amount_pence) <> 0
    UNION ALL
    SELECT format('pool %s', race_id), NULL, stored, computed, 3, race_id FROM pool WHERE stored <> computed
    UNION ALL
    SELECT format('double %s', journal_id), athlete_id, amount_pence, 0, 4, journal_id FROM standing WHERE place > 1
  )
  SELECT jsonb_build_object(
    'accounts', (SELECT count(*) FROM personal) + (SELECT count(*) FROM posted WHERE athlete_id IS NULL),
    'journals', (SELECT count(*) FROM racing.journal),
    'postings', (SELECT count(*) FROM racing.posting),
    'differences', (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'account', account, 'athleteId', athlete_id, 'stored', stored, 'computed', computed)
        ORDER BY part, place, account), '[]')
      FROM difference))
$$;

SELECT settled.declare_callers('racing', daemon => '{verify_ledger}', fixed => '{verify_ledger}');
