import Engine
import Money
import Postgres

/// The set-based writes of a settlement.
enum ApplyStatements {
  struct Credit {
    let raceId: Int64
    let entryId: Int64
    let athleteId: Int64
    let amount: Pence
  }

  struct Journal {
    let raceId: Int64
    let isPaid: Bool
    /// What leaves the race's pool account.
    let pool: Pence
    let platformFee: Pence
  }

  static func wait(_ race: Int64, until: Timestamp, for activities: [Int64]) -> Statement {
    """
    UPDATE racing.race SET attend_at = \(until), waiting_activities = \(activities)
    WHERE id = \(race) AND status = 'ended'
    """
  }

  static func lockWallets(_ athletes: [Int64]) -> Statement {
    "SELECT FROM racing.wallet WHERE athlete_id = ANY(\(athletes)) ORDER BY athlete_id FOR NO KEY UPDATE"
  }

  /// Final place and prize of every entry; those of a void race are refunded.
  static func entries(_ entries: [RankedEntry], isVoid: [Bool]) -> Statement {
    """
    UPDATE racing.entry AS e SET status = CASE WHEN d.void THEN 'refunded' ELSE 'completed' END,
      activity_id = d.activity, score = d.score, rank = d.rank::integer, prize_pence = d.prize
    FROM unnest(\(entries.map(\.entryId)), \(entries.map(\.activityId)), \(entries.map(\.score)),
      \(entries.map { $0.rank.map(Int64.init) }), \(entries.map(\.prize.amount)), \(isVoid))
      AS d(id, activity, score, rank, prize, void)
    WHERE e.id = d.id AND e.status = 'entered'
    """
  }

  /// The key makes a second settlement of the same revision impossible.
  static func journals(_ journals: [Journal], at now: Timestamp) -> Statement {
    """
    INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
    SELECT CASE WHEN j.paid THEN 'prize' ELSE 'refund' END, 'race/' || j.race || '/settlement/1', j.race,
      CASE WHEN j.paid THEN 'Prizes of race ' ELSE 'Entry fees of void race ' END || j.race, \(now)
    FROM unnest(\(journals.map(\.raceId)), \(journals.map(\.isPaid))) AS j(race, paid)
    """
  }

  /// One statement, so that each journal sums to zero in it. Wallets still hold the balance before; the window adds up
  /// what one athlete gets from several races of the batch.
  static func postings(_ credits: [Credit], _ journals: [Journal]) -> Statement {
    """
    WITH credit AS (
      SELECT * FROM unnest(\(credits.map(\.raceId)), \(credits.map(\.entryId)), \(credits.map(\.athleteId)),
        \(credits.map(\.amount.amount))) WITH ORDINALITY AS c(race, entry, athlete, amount, place)
    ), debit AS (
      SELECT * FROM unnest(\(journals.map(\.raceId)), \(journals.map(\.pool.amount)),
        \(journals.map(\.platformFee.amount))) AS d(race, pool, platform)
    )
    INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
    SELECT j.id, p.account, p.athlete, p.pool_of, p.entry, p.amount, p.balance
    FROM (
      SELECT d.race, 'pool', NULL::bigint, d.race, NULL::bigint, -d.pool, NULL::bigint, 0 FROM debit AS d
      UNION ALL
      SELECT d.race, 'platform', NULL, NULL, NULL, d.platform, NULL, 0 FROM debit AS d WHERE d.platform > 0
      UNION ALL
      SELECT c.race, 'wallet', c.athlete, NULL, c.entry, c.amount,
        (w.balance_pence + sum(c.amount) OVER (PARTITION BY c.athlete ORDER BY c.place))::bigint, c.place
      FROM credit AS c JOIN racing.wallet AS w ON w.athlete_id = c.athlete
    ) AS p(race, account, athlete, pool_of, entry, amount, balance, place)
    JOIN racing.journal AS j ON j.idempotency_key = 'race/' || p.race || '/settlement/1'
    ORDER BY p.place
    """
  }

  static func wallets(_ credits: [Credit]) -> Statement {
    """
    UPDATE racing.wallet AS w SET balance_pence = w.balance_pence + t.total
    FROM (
      SELECT c.athlete, sum(c.amount)::bigint AS total
      FROM unnest(\(credits.map(\.athleteId)), \(credits.map(\.amount.amount))) AS c(athlete, amount) GROUP BY c.athlete
    ) AS t
    WHERE w.athlete_id = t.athlete
    """
  }

  /// Arrays of different lengths travel as texts: an array of arrays would have to be a matrix.
  static func settlements(_ settled: [(race: RaceInput, result: SettlementResult)], at now: Timestamp) -> Statement {
    """
    INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
      prize_pool_pence, journal_id, input_hash, counted_activities, held_activities)
    SELECT s.race, 1, s.outcome, \(now), s.fees, s.platform, s.pool,
      (SELECT j.id FROM racing.journal AS j WHERE j.idempotency_key = 'race/' || s.race || '/settlement/1'),
      encode(sha256(convert_to(s.input, 'UTF8')), 'hex'), s.counted::bigint[], s.held::bigint[]
    FROM unnest(\(settled.map(\.race.settlement.raceId)), \(settled.map(\.result.outcome.rawValue)),
      \(settled.map(\.result.fees.amount)), \(settled.map(\.result.platformFee.amount)),
      \(settled.map(\.result.pool.amount)), \(settled.map(\.race.settlement.canonicalInput)),
      \(settled.map { arrayText($0.race.counted) }), \(settled.map { arrayText($0.race.held) }))
      AS s(race, outcome, fees, platform, pool, input, counted, held)
    """
  }

  static func payouts(_ payouts: [(raceId: Int64, payout: Payout)]) -> Statement {
    """
    INSERT INTO racing.payout (race_id, revision, place, entry_id, athlete_id, amount_pence)
    SELECT p.race, 1, p.place, p.entry, p.athlete, p.amount
    FROM unnest(\(payouts.map(\.raceId)), \(payouts.map { Int64($0.payout.place) }), \(payouts.map(\.payout.entryId)),
      \(payouts.map(\.payout.athleteId)), \(payouts.map(\.payout.amount.amount))) AS p(race, place, entry, athlete, amount)
    """
  }

  static func races(_ ids: [Int64]) -> Statement {
    """
    UPDATE racing.race SET status = 'settled', waiting_activities = '{}' WHERE id = ANY(\(ids)) AND status = 'ended'
    """
  }

  static func events(_ settled: [(race: RaceInput, result: SettlementResult)], at now: Timestamp) -> Statement {
    EventStatements.emit(
      topic: "race.settled", keys: settled.map { String($0.race.settlement.raceId) },
      payloads: settled.map { payload($0.race.settlement.raceId, $0.result) }, at: now)
  }

  private static func payload(_ race: Int64, _ result: SettlementResult) -> String {
    let payouts = result.payouts.map {
      #"{"place": \#($0.place), "entryId": \#($0.entryId), "athleteId": \#($0.athleteId), "#
        + #""amountPence": \#($0.amount.amount)}"#
    }
    return #"{"raceId": \#(race), "revision": 1, "outcome": "\#(result.outcome.rawValue)", "#
      + #""payouts": [\#(payouts.joined(separator: ", "))]}"#
  }

  private static func arrayText(_ ids: [Int64]) -> String {
    "{" + ids.map(String.init).joined(separator: ",") + "}"
  }
}
