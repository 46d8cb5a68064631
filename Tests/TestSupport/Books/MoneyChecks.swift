import Postgres

extension Books {
  /// The ledger and the wallets, of every kind.
  static let moneyChecks = [
    Check(
      "a journal sums to zero and has two sides",
      """
      SELECT format('journal %s: %s postings, sum %s', j.id, count(p.id), sum(p.amount_pence))
      FROM racing.journal AS j LEFT JOIN racing.posting AS p ON p.journal_id = j.id
      GROUP BY j.id HAVING count(p.id) < 2 OR sum(p.amount_pence) <> 0
      """),
    Check(
      "a wallet holds the sum of its postings, and never less than nothing",
      """
      SELECT format('athlete %s: holds %s %s %s, postings say %s %s %s', w.athlete_id,
        w.balance_pence, w.pending_pence, w.receivable_pence, p.wallet, p.pending, p.receivable)
      FROM racing.wallet AS w LEFT JOIN (
        SELECT athlete_id, sum(amount_pence) FILTER (WHERE account = 'wallet') AS wallet,
          sum(amount_pence) FILTER (WHERE account = 'pending') AS pending,
          -sum(amount_pence) FILTER (WHERE account = 'receivable') AS receivable
        FROM racing.posting WHERE athlete_id IS NOT NULL GROUP BY athlete_id
      ) AS p ON p.athlete_id = w.athlete_id
      WHERE w.balance_pence <> coalesce(p.wallet, 0) OR w.pending_pence <> coalesce(p.pending, 0)
        OR w.receivable_pence <> coalesce(p.receivable, 0)
        OR least(w.balance_pence, w.pending_pence, w.receivable_pence) < 0
      """),
    Check(
      "every posting of a wallet shows the balance just after it",
      """
      SELECT format('posting %s: shows %s, adds up to %s', id, balance_pence, running) FROM (
        SELECT id, balance_pence, sum(amount_pence) OVER (PARTITION BY athlete_id ORDER BY id) AS running
        FROM racing.posting WHERE account = 'wallet') AS p
      WHERE balance_pence <> running
      """),
    Check(
      "a race's pool holds the fees of a race that is open, and nothing of one that is not",
      """
      SELECT format('race %s (%s): pool %s, entries %s', r.id, r.status, p.pool, e.fees)
      FROM racing.race AS r
        LEFT JOIN (SELECT race_id, sum(amount_pence) AS pool FROM racing.posting WHERE account = 'pool' GROUP BY 1) AS p
          ON p.race_id = r.id
        LEFT JOIN (SELECT race_id, sum(fee_pence) AS fees FROM racing.entry WHERE NOT is_refunded GROUP BY 1) AS e
          ON e.race_id = r.id
      WHERE coalesce(p.pool, 0) <> CASE WHEN r.status IN ('settled', 'cancelled') THEN 0 ELSE coalesce(e.fees, 0) END
      """),
    Check(
      "an entry is charged once, and its fee is in exactly one journal",
      """
      SELECT format('entry %s of race %s: charged %s in %s journals', e.id, e.race_id, c.pence, c.journals)
      FROM racing.entry AS e LEFT JOIN (
        SELECT p.entry_id, sum(p.amount_pence) AS pence, count(*) AS journals
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE j.kind = 'entry_fee' AND p.account = 'pool' GROUP BY p.entry_id
      ) AS c ON c.entry_id = e.id
      WHERE c.pence IS DISTINCT FROM e.fee_pence OR c.journals IS DISTINCT FROM 1
      """),
    Check(
      "a fee goes back once at most unless it was taken again, and exactly where the entry says so",
      """
      SELECT format('entry %s (%s, refunded %s): %s refunds of %s, taken again %s times (%s)', e.id, e.status,
        e.is_refunded, f.refunds, f.pence, f.taken, b.count)
      FROM racing.entry AS e
      -- A schema of a former release has no such column.
      CROSS JOIN LATERAL (SELECT coalesce((to_jsonb(e) ->> 'reinstatement_count')::integer, 0)) AS b (count)
      LEFT JOIN (
        SELECT p.entry_id, count(*) FILTER (WHERE j.kind = 'refund' AND p.account = 'wallet') AS refunds,
          sum(p.amount_pence) FILTER (WHERE j.kind = 'refund' AND p.account = 'wallet') AS pence,
          count(*) FILTER (WHERE j.kind = 'correction' AND p.account = 'pool') AS taken,
          bool_or(j.kind = 'correction' AND j.idempotency_key LIKE 'race/%') AS corrected
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE p.entry_id IS NOT NULL GROUP BY p.entry_id
      ) AS f ON f.entry_id = e.id
      WHERE f.refunds NOT BETWEEN f.taken AND f.taken + 1 OR f.pence <> f.refunds * e.fee_pence
        OR f.taken <> b.count
        OR NOT f.corrected AND e.is_refunded <> (f.refunds > f.taken)
      """),
    Check(
      "what races charged is what they keep, paid, and gave back",
      """
      SELECT format('charged %s, platform %s + athletes %s + open %s', charged, platform, athletes, open)
      FROM (
        SELECT
          coalesce(sum(p.amount_pence) FILTER (WHERE j.kind = 'entry_fee' AND p.account = 'pool'), 0) AS charged,
          coalesce(sum(p.amount_pence) FILTER (WHERE p.account = 'platform'), 0) AS platform,
          coalesce(sum(p.amount_pence) FILTER (WHERE j.kind IN ('prize', 'refund', 'correction')
            AND j.race_id IS NOT NULL AND p.account IN ('wallet', 'receivable')), 0) AS athletes,
          coalesce(sum(p.amount_pence) FILTER (WHERE p.account = 'pool'), 0) AS open
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
      ) AS t WHERE charged <> platform + athletes + open
      """),
    Check(
      "all prizes and refunds of a race together are what its latest revision says",
      """
      SELECT format('entry %s of race %s (%s): booked %s, should be %s', e.id, e.race_id, e.status, b.pence,
        e.prize_pence + CASE WHEN e.is_refunded THEN e.fee_pence ELSE 0 END)
      FROM racing.entry AS e LEFT JOIN (
        SELECT p.entry_id, sum(p.amount_pence) AS pence
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE j.kind IN ('prize', 'refund', 'correction') AND p.account IN ('wallet', 'receivable') GROUP BY p.entry_id
      ) AS b ON b.entry_id = e.id
      WHERE coalesce(b.pence, 0) <> e.prize_pence + CASE WHEN e.is_refunded THEN e.fee_pence ELSE 0 END
      """),
    Check(
      "pending withdrawals are those that have not ended",
      """
      SELECT format('athlete %s: pending %s, open withdrawals %s', w.athlete_id, w.pending_pence, o.pence)
      FROM racing.wallet AS w LEFT JOIN (
        SELECT p.athlete_id, -sum(p.amount_pence) AS pence
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE j.kind = 'withdrawal' AND p.account = 'wallet' AND p.amount_pence < 0
          AND NOT EXISTS (SELECT FROM racing.transaction_end AS x WHERE x.posting_id = p.id) GROUP BY p.athlete_id
      ) AS o ON o.athlete_id = w.athlete_id WHERE w.pending_pence <> coalesce(o.pence, 0)
      """),
  ]
}
