import Postgres

extension Books {
  /// Races, their settlements and their events.
  static let raceChecks = [
    Check(
      "a settled race has revisions 1, 2, ..., and no other race has one",
      """
      SELECT format('race %s (%s): revisions %s', r.id, r.status, s.revisions)
      FROM racing.race AS r LEFT JOIN (
        SELECT race_id, array_agg(revision ORDER BY revision) AS revisions, max(revision) AS last, count(*) AS number
        FROM racing.settlement GROUP BY race_id
      ) AS s ON s.race_id = r.id
      WHERE (r.status = 'settled') <> (s.last IS NOT NULL) OR s.last <> s.number
      """),
    Check(
      "a settlement splits the fees into the platform's share and the prizes it paid",
      """
      SELECT format('race %s revision %s (%s): fees %s, platform %s, pool %s, payouts %s, entries paid %s',
        s.race_id, s.revision, s.outcome, s.fees_pence, s.platform_fee_pence, s.prize_pool_pence, p.paid, e.fees)
      FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id
        LEFT JOIN (SELECT race_id, revision, sum(amount_pence) AS paid FROM racing.payout GROUP BY 1, 2) AS p
          ON (p.race_id, p.revision) = (s.race_id, s.revision)
        LEFT JOIN (SELECT race_id, sum(fee_pence) AS fees FROM racing.entry WHERE status = 'completed' GROUP BY 1) AS e
          ON e.race_id = s.race_id
      WHERE s.fees_pence <> s.platform_fee_pence + s.prize_pool_pence
        OR s.prize_pool_pence <> coalesce(p.paid, 0)
        OR s.outcome = 'paid' AND (s.platform_fee_pence <> floor(s.fees_pence * r.platform_fee_percent / 100)
          OR s.revision = (SELECT max(x.revision) FROM racing.settlement AS x WHERE x.race_id = s.race_id)
            AND s.fees_pence IS DISTINCT FROM e.fees)
        OR s.outcome = 'void' AND (s.fees_pence <> 0 OR e.fees IS NOT NULL)
        OR s.outcome = 'void' AND s.revision < (SELECT max(x.revision) FROM racing.settlement AS x WHERE x.race_id = s.race_id)
      """),
    Check(
      "a payout is booked to the wallet, and stands on its entry",
      """
      SELECT format('race %s entry %s: payout %s, booked %s, shown %s', p.race_id, p.entry_id, p.amount_pence,
        b.pence, e.prize_pence)
      FROM racing.payout AS p JOIN racing.entry AS e ON e.id = p.entry_id
        LEFT JOIN (
          SELECT p.entry_id, sum(p.amount_pence) AS pence FROM racing.posting AS p JOIN racing.journal AS j
            ON j.id = p.journal_id WHERE j.kind = 'prize' AND p.account IN ('wallet', 'receivable') GROUP BY p.entry_id
        ) AS b ON b.entry_id = p.entry_id
      WHERE p.revision = 1 AND (b.pence IS DISTINCT FROM p.amount_pence OR e.athlete_id <> p.athlete_id
        OR e.race_id <> p.race_id
        OR e.prize_pence <> p.amount_pence
          AND NOT EXISTS (SELECT FROM racing.settlement AS s WHERE s.race_id = p.race_id AND s.revision > 1))
      """),
    Check(
      "an entry shows a prize only where one was paid",
      """
      SELECT format('entry %s of race %s shows %s', e.id, e.race_id, e.prize_pence) FROM racing.entry AS e
      WHERE e.prize_pence > 0 AND NOT EXISTS (SELECT FROM racing.payout AS p WHERE p.entry_id = e.id)
      """),
    Check(
      "an entry has a status that its race allows",
      """
      SELECT format('entry %s is %s in race %s, which is %s %s', e.id, e.status, r.id, r.status, s.outcome)
      FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
        LEFT JOIN LATERAL (SELECT outcome FROM racing.settlement AS x WHERE x.race_id = r.id
          ORDER BY revision DESC LIMIT 1) AS s ON true
      WHERE NOT CASE
        WHEN r.status = 'settled' AND s.outcome = 'paid' THEN e.status IN ('completed', 'disqualified', 'refunded')
        WHEN r.status = 'settled' THEN e.status IN ('disqualified', 'refunded')
        WHEN r.status = 'cancelled' THEN e.status IN ('disqualified', 'refunded') AND e.is_refunded
        ELSE e.status IN ('entered', 'disqualified', 'refunded') END
      """),
    Check(
      "a race counts its entries",
      """
      SELECT format('race %s counts %s of %s', r.id, r.entry_count, e.entries)
      FROM racing.race AS r LEFT JOIN (SELECT race_id, count(*) AS entries FROM racing.entry GROUP BY 1) AS e
        ON e.race_id = r.id
      WHERE r.entry_count <> coalesce(e.entries, 0)
      """),
    Check(
      "each revision has one event",
      """
      SELECT format('race %s: %s revisions, %s events', r.id, s.number, e.number)
      FROM racing.race AS r
        LEFT JOIN (SELECT race_id, count(*) AS number FROM racing.settlement GROUP BY 1) AS s
          ON s.race_id = r.id
        LEFT JOIN (
          SELECT key, count(*) AS number FROM (
            SELECT key, topic FROM settled.event UNION ALL SELECT key, topic FROM settled.event_pending
          ) AS t WHERE topic = 'race.settled' GROUP BY key
        ) AS e ON e.key = r.id::text
      WHERE coalesce(s.number, 0) <> coalesce(e.number, 0)
      """),
    Check(
      "an activity counts its open flags, and only one that is under review or flagged has an open review",
      """
      SELECT format('activity %s (%s): %s flags count and %s do not, of %s and %s; %s reviews', a.id, a.status, a.flag_count,
        u.number, f.counting, f.number - f.counting, r.number)
      FROM racing.activity AS a
        -- In a schema of a former release all flags count.
        CROSS JOIN LATERAL (SELECT coalesce((to_jsonb(a) ->> 'uncounted_flags')::integer, 0)) AS u (number)
        LEFT JOIN (
          SELECT x.activity_id, count(*) AS number,
            count(*) FILTER (WHERE to_jsonb(x) ->> 'counts' IS DISTINCT FROM 'false') AS counting
          FROM racing.flag AS x WHERE x.closed_at IS NULL GROUP BY 1
        ) AS f ON f.activity_id = a.id
        LEFT JOIN (SELECT activity_id, count(*) AS number FROM racing.review WHERE state <> 'decided' GROUP BY 1) AS r
          ON r.activity_id = a.id
      WHERE a.flag_count <> coalesce(f.counting, 0) OR a.flag_count + u.number <> coalesce(f.number, 0)
        OR a.status = 'under_review' AND r.number IS NULL
        OR a.status = 'disqualified' AND (f.number > 0 OR r.number > 0)
      """),
    Check(
      "events have positions without a gap",
      """
      SELECT format('%s events up to %s', count(*), c.last_position) FROM settled.event AS e, settled.event_counter AS c
      GROUP BY c.last_position, c.pruned_through
      HAVING count(*) <> c.last_position % 1000000000000000 - c.pruned_through % 1000000000000000
      """),
  ]
}
