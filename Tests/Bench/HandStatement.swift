import Postgres

/// The measure for settled: a statement that settles races, written by hand for this purpose.
///
/// It reads and writes what the job reads and writes, down to the hash of the inputs. It is simpler in that it knows no
/// reviews: it would pay while a held activity counts.
enum HandStatement {
  /// Settles every due race.
  static let settle: Statement = "\(raw: text(of: "r.next_check_at <= c.now"))"

  /// Creates a function that settles one race: the job of a peer. Its sessions plan the statement once, which halves
  /// the time of a call.
  static let function: Statement = """
    CREATE FUNCTION public.peer_run(race bigint) RETURNS void LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan AS $$
    #variable_conflict use_column
    BEGIN
      \(raw: text(of: "r.id = $1"));
    END $$
    """

  private static func text(of condition: String) -> String {
    """
    WITH clock AS MATERIALIZED (
      SELECT settled.clock() AS now
    ), race AS MATERIALIZED (
      SELECT r.*, r.type IN ('fastest_1km', 'fastest_5km') AS is_time FROM racing.race AS r, clock AS c
      WHERE r.status = 'ended' AND \(condition) ORDER BY r.id FOR NO KEY UPDATE OF r
    ), entry AS MATERIALIZED (
      SELECT e.*, r.is_time, r.type, r.starts_at, r.ends_at, r.due_at FROM race AS r
      JOIN racing.entry AS e ON e.race_id = r.id AND e.status NOT IN ('disqualified', 'refunded')
    ), candidate AS MATERIALIZED (
      SELECT e.race_id, e.id AS entry_id, a.id AS activity_id, a.started_at, a.strava_id,
        CASE WHEN e.is_time THEN -s.score ELSE s.score END AS merit, s.score
      FROM entry AS e
      JOIN racing.activity AS a ON a.athlete_id = e.athlete_id AND a.started_at >= e.starts_at
        AND a.started_at < e.ends_at AND a.imported_at < e.due_at AND a.status = 'verified',
      LATERAL (SELECT CASE e.type WHEN 'top_speed' THEN a.top_speed_mm_per_s WHEN 'furthest_distance' THEN a.distance_cm
        WHEN 'fastest_1km' THEN a.fastest_1km_ms ELSE a.fastest_5km_ms END AS score) AS s
      WHERE s.score IS NOT NULL
    ), best AS (
      SELECT DISTINCT ON (entry_id) * FROM candidate ORDER BY entry_id, merit DESC, started_at, strava_id
    ), scored AS MATERIALIZED (
      SELECT e.id, e.race_id, e.athlete_id, e.entered_at, e.fee_pence, b.activity_id, b.score, b.merit
      FROM entry AS e LEFT JOIN best AS b ON b.entry_id = e.id
    ), ranked AS MATERIALIZED (
      SELECT s.*, rank() OVER by_merit AS rank, row_number() OVER by_place AS place,
        count(*) OVER (PARTITION BY s.race_id, s.merit) AS tied
      FROM scored AS s WHERE s.score IS NOT NULL
      WINDOW by_merit AS (PARTITION BY s.race_id ORDER BY s.merit DESC),
        by_place AS (PARTITION BY s.race_id ORDER BY s.merit DESC, s.entered_at, s.id)
    ), pot AS MATERIALIZED (
      SELECT r.id, r.prize_shares, t.ranked, t.fees AS all_fees, CASE WHEN t.ranked > 0 THEN t.fees ELSE 0 END AS fees,
        t.platform, CASE WHEN t.ranked > 0 THEN t.fees - t.platform ELSE 0 END AS pool
      FROM race AS r JOIN (
        SELECT s.race_id, count(s.score) AS ranked, sum(s.fee_pence)::bigint AS fees FROM scored AS s GROUP BY s.race_id
      ) AS f ON f.race_id = r.id, LATERAL (
        SELECT f.ranked, f.fees,
          CASE WHEN f.ranked > 0 THEN floor(f.fees * r.platform_fee_percent / 100) ELSE 0 END::bigint AS platform
      ) AS t
    ), share AS (
      SELECT p.id, p.pool, k.place, p.pool * k.share / w.whole AS pence, p.pool * k.share % w.whole AS remainder
      FROM pot AS p, LATERAL (SELECT least(3, p.ranked)::integer AS filled) AS f,
        LATERAL (SELECT sum(x) AS whole FROM unnest(p.prize_shares[1:f.filled]) AS x) AS w,
        LATERAL unnest(p.prize_shares[1:f.filled]) WITH ORDINALITY AS k(share, place)
      WHERE p.ranked > 0
    ), place AS MATERIALIZED (
      SELECT s.id, s.place, s.pence + CASE WHEN row_number() OVER (PARTITION BY s.id ORDER BY s.remainder DESC, s.place)
        <= s.pool - sum(s.pence) OVER (PARTITION BY s.id) THEN 1 ELSE 0 END AS pence
      FROM share AS s
    ), tie AS (
      SELECT r.race_id, r.rank, sum(p.pence)::bigint AS pence
      FROM (SELECT DISTINCT race_id, rank, tied FROM ranked WHERE rank <= 3) AS r
      JOIN place AS p ON p.id = r.race_id AND p.place BETWEEN r.rank AND r.rank + r.tied - 1
      GROUP BY r.race_id, r.rank
    ), paid AS MATERIALIZED (
      SELECT r.id, r.race_id, r.athlete_id, r.rank::integer AS place, r.place AS line,
        t.pence / r.tied + CASE WHEN r.place - r.rank < t.pence % r.tied THEN 1 ELSE 0 END AS pence
      FROM ranked AS r JOIN tie AS t ON t.race_id = r.race_id AND t.rank = r.rank
    ), credit AS MATERIALIZED (
      SELECT id, race_id, athlete_id, line, pence FROM paid WHERE pence > 0
      UNION ALL
      SELECT s.id, s.race_id, s.athlete_id, s.id, s.fee_pence FROM scored AS s JOIN pot AS p ON p.id = s.race_id
      WHERE p.ranked = 0
    ), wallet AS MATERIALIZED (
      SELECT w.* FROM racing.wallet AS w WHERE w.athlete_id IN (SELECT c.athlete_id FROM credit AS c)
      ORDER BY w.athlete_id FOR NO KEY UPDATE
    ), entries AS (
      UPDATE racing.entry AS e SET status = CASE WHEN p.ranked = 0 THEN 'refunded' ELSE 'completed' END,
        activity_id = s.activity_id, score = s.score, rank = r.rank, prize_pence = coalesce(w.pence, 0),
        is_refunded = p.ranked = 0
      FROM scored AS s JOIN pot AS p ON p.id = s.race_id LEFT JOIN ranked AS r ON r.id = s.id
        LEFT JOIN paid AS w ON w.id = s.id
      WHERE e.id = s.id
    ), journal AS (
      INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
      SELECT CASE WHEN p.ranked > 0 THEN 'prize' ELSE 'refund' END, 'race/' || p.id || '/settlement/1', p.id,
        CASE WHEN p.ranked > 0 THEN 'Prizes of race ' ELSE 'Entry fees of void race ' END || p.id, c.now
      FROM pot AS p, clock AS c WHERE p.all_fees > 0
      RETURNING id, race_id
    ), postings AS (
      INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
      SELECT j.id, p.account, p.athlete, p.pool_of, p.entry, p.amount, p.balance
      FROM (
        SELECT p.id, 'pool', NULL::bigint, p.id, NULL::bigint, -p.all_fees, NULL::bigint, 0
        FROM pot AS p WHERE p.all_fees > 0
        UNION ALL
        SELECT p.id, 'platform', NULL, NULL, NULL, p.platform, NULL, 0 FROM pot AS p WHERE p.platform > 0
        UNION ALL
        SELECT c.race_id, 'wallet', c.athlete_id, NULL, c.id, c.pence, (w.balance_pence
          + sum(c.pence) OVER (PARTITION BY c.athlete_id ORDER BY c.race_id, c.line))::bigint, c.line
        FROM credit AS c JOIN wallet AS w ON w.athlete_id = c.athlete_id
      ) AS p(race, account, athlete, pool_of, entry, amount, balance, line)
      JOIN journal AS j ON j.race_id = p.race
      ORDER BY p.race, p.line
    ), wallets AS (
      UPDATE racing.wallet AS w SET balance_pence = w.balance_pence + t.pence
      FROM (SELECT c.athlete_id, sum(c.pence)::bigint AS pence FROM credit AS c JOIN wallet AS l USING (athlete_id)
        GROUP BY c.athlete_id) AS t
      WHERE w.athlete_id = t.athlete_id
    ), settlements AS (
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, journal_id, input_hash, counted_activities, held_activities)
      SELECT r.id, 1, CASE WHEN p.ranked > 0 THEN 'paid' ELSE 'void' END, c.now, p.fees, p.platform, p.pool, j.id,
        encode(sha256(convert_to(h.line || coalesce(i.lines, ''), 'UTF8')), 'hex'), coalesce(k.counted, '{}'), '{}'
      FROM race AS r JOIN pot AS p ON p.id = r.id CROSS JOIN clock AS c LEFT JOIN journal AS j ON j.race_id = r.id
        LEFT JOIN (SELECT race_id, array_agg(activity_id ORDER BY activity_id) AS counted FROM candidate
          GROUP BY race_id) AS k ON k.race_id = r.id
        LEFT JOIN (
          SELECT s.race_id, string_agg(format(E'entry %s %s %s %s %s %s\n', s.id, s.athlete_id,
            (extract(epoch FROM s.entered_at) * 1000000)::bigint, s.fee_pence, b.best, b.best), '' ORDER BY s.id) AS lines
          FROM scored AS s, LATERAL (SELECT coalesce(s.score || ':' || s.activity_id, '-') AS best) AS b
          GROUP BY s.race_id
        ) AS i ON i.race_id = r.id,
        LATERAL (SELECT format(E'settlement-2 %s %s %s,%s,%s %s %s\n', r.id, r.type, r.prize_shares[1],
          r.prize_shares[2], r.prize_shares[3], trim_scale(r.platform_fee_percent), r.entry_fee_pence) AS line) AS h
      RETURNING race_id
    ), payouts AS (
      INSERT INTO racing.payout (race_id, revision, place, entry_id, athlete_id, amount_pence)
      SELECT race_id, 1, place, id, athlete_id, pence FROM paid WHERE pence > 0
    ), events AS (
      INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
      SELECT 'race.settled', p.id::text, jsonb_build_object('raceId', p.id, 'revision', 1,
          'outcome', CASE WHEN p.ranked > 0 THEN 'paid' ELSE 'void' END, 'payouts', coalesce(w.payouts, '[]')), c.now
      FROM pot AS p CROSS JOIN clock AS c LEFT JOIN (
        SELECT race_id, jsonb_agg(jsonb_build_object('place', place, 'entryId', id, 'athleteId', athlete_id,
          'amountPence', pence) ORDER BY place, id) AS payouts
        FROM paid WHERE pence > 0 GROUP BY race_id
      ) AS w ON w.race_id = p.id
    )
    UPDATE racing.race AS r SET status = 'settled', waiting_activities = '{}' FROM race AS d WHERE d.id = r.id
    """
  }
}
