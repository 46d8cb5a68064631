import Postgres

extension Books {
  /// The ledger and the wallets, whatever they are about.
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
        OR w.receivable_pence <> coalesce(p.receivable, 0) OR least(w.balance_pence, w.pending_pence) < 0
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
        LEFT JOIN (SELECT race_id, sum(fee_pence) AS fees FROM racing.entry WHERE status = 'entered' GROUP BY 1) AS e
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
      "what was charged is what was settled and what was refunded",
      """
      SELECT format('charged %s, platform %s + prizes %s + refunds %s + open %s', charged, platform, prizes, refunds, open)
      FROM (
        SELECT
          coalesce(sum(p.amount_pence) FILTER (WHERE j.kind = 'entry_fee' AND p.account = 'pool'), 0) AS charged,
          coalesce(sum(p.amount_pence) FILTER (WHERE p.account = 'platform'), 0) AS platform,
          coalesce(sum(p.amount_pence) FILTER (WHERE j.kind = 'prize' AND p.account = 'wallet'), 0) AS prizes,
          coalesce(sum(p.amount_pence) FILTER (WHERE j.kind = 'refund' AND p.account = 'wallet'), 0) AS refunds,
          coalesce(sum(p.amount_pence) FILTER (WHERE p.account = 'pool'), 0) AS open,
          count(*) FILTER (WHERE j.kind = 'correction') AS corrections
        FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
      ) AS t WHERE charged <> platform + prizes + refunds + open AND corrections = 0
      """),
  ]
}
