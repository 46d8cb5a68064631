import Postgres

/// `ledger balances`: what the house, the pools and the wallets hold, from one snapshot.
///
/// It reads every wallet, the settlements, and the pools of races that are not settled, but not the postings of the
/// past. The platform has what the latest settlement of each race leaves it. `external` is what all other accounts
/// leave, because all postings sum to zero. `ledger verify` proves that the wallets are the sums of their postings.
enum LedgerBalances {
  static let largestMax = 10

  static let statement: Statement = """
    \(fragment: WithdrawalList.open), wallets AS (
      SELECT count(*) AS count, coalesce(sum(w.balance_pence), 0) AS balance, coalesce(sum(w.pending_pence), 0) AS pending,
        coalesce(sum(w.receivable_pence), 0) AS receivable FROM racing.wallet AS w
    ), pools AS (
      SELECT s.place, s.status, count(r.id) AS races, coalesce(sum(p.pence), 0) AS pence
      FROM unnest('{upcoming,active,ended}'::text[]) WITH ORDINALITY AS s (status, place)
      LEFT JOIN racing.race AS r ON r.status = s.status
      LEFT JOIN LATERAL (
        SELECT sum(x.amount_pence) AS pence FROM racing.posting AS x WHERE x.account = 'pool' AND x.race_id = r.id
      ) AS p ON true
      GROUP BY s.place, s.status
    ), platform AS (
      SELECT coalesce(sum(s.platform_fee_pence), 0) AS pence FROM racing.settlement AS s
      WHERE NOT EXISTS (
        SELECT FROM racing.settlement AS n WHERE n.race_id = s.race_id AND n.revision = s.revision + 1)
    )
    SELECT jsonb_build_object('at', settled.iso(settled.clock()),
      'house', jsonb_build_array(jsonb_build_object('account', 'platform', 'pence', f.pence::bigint),
        jsonb_build_object('account', 'external', 'pence', (w.receivable - w.balance - w.pending - f.pence
          - (SELECT sum(p.pence) FROM pools AS p))::bigint)),
      'pools', (SELECT jsonb_agg(jsonb_build_object('status', p.status, 'races', p.races, 'pence', p.pence::bigint)
        ORDER BY p.place) FROM pools AS p),
      'wallets', jsonb_build_object('count', w.count, 'pence', w.balance::bigint, 'largest', coalesce((
        SELECT jsonb_agg(jsonb_build_object('athleteId', l.athlete_id, 'pence', l.balance_pence)
          ORDER BY l.balance_pence DESC, l.athlete_id)
        FROM (SELECT x.athlete_id, x.balance_pence FROM racing.wallet AS x WHERE x.balance_pence > 0
          ORDER BY x.balance_pence DESC, x.athlete_id LIMIT \(Int64(largestMax))) AS l), '[]')),
      'receivablePence', w.receivable::bigint,
      'pendingWithdrawals', jsonb_build_object('count', (SELECT count(*) FROM open), 'pence', w.pending::bigint))
    FROM wallets AS w CROSS JOIN platform AS f
    """
}
