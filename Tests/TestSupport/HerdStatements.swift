import Postgres

/// The set-based writes of a herd. `after` is the greatest athlete's id before it;
/// numbers may be left out after a crash.
enum HerdStatements {
  static func athletes(_ count: Int) -> Statement {
    """
    INSERT INTO racing.athlete (display_name, date_of_birth, gender, user_type, created_at)
    SELECT 'Athlete ' || n, date '2003-05-05', 'male', 'racer', settled.clock()
    FROM generate_series(1, \(Int64(count))) AS n ORDER BY n
    """
  }

  /// The wallets as they are before any fee.
  static func wallets(after: Int64, pence: Int64) -> Statement {
    "INSERT INTO racing.wallet (athlete_id, balance_pence) SELECT id, \(pence) FROM racing.athlete WHERE id > \(after)"
  }

  static func deposits(after: Int64) -> Statement {
    """
    WITH journal AS (
      INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
      SELECT 'deposit', 'athlete/' || w.athlete_id || '/herd', 'Deposit', settled.clock()
      FROM racing.wallet AS w WHERE w.athlete_id > \(after)
      RETURNING id, split_part(idempotency_key, '/', 2)::bigint AS athlete
    ), connection AS (
      INSERT INTO strava.connection (athlete_id, status, changed_at, provider_athlete_id)
      SELECT w.athlete_id, 'active', settled.clock(), 5000000000 + w.athlete_id FROM racing.wallet AS w WHERE w.athlete_id > \(after)
    )
    INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
    SELECT j.id, a.account, CASE WHEN a.sign > 0 THEN j.athlete END, a.sign * w.balance_pence,
      CASE WHEN a.sign > 0 THEN w.balance_pence END
    FROM journal AS j JOIN racing.wallet AS w ON w.athlete_id = j.athlete,
      (VALUES ('external', -1), ('wallet', 1)) AS a(account, sign)
    """
  }

  /// One for seven athletes of eight: started half an hour before every race of the herd ends. Only top speed scores.
  static func activities(after: Int64) -> Statement {
    """
    INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
      distance, content_hash, imported_at, status, scored, top_speed_mm_per_s)
    SELECT a.id, 1000000000 + a.id, 'Paddle', 'Kayaking', settled.clock() - interval '150 minutes', 1800, 1800, 900,
      sha256(convert_to(a.id::text, 'UTF8')), settled.clock() - interval '110 minutes', 'verified', true,
      3000 + a.id * 7919 % 400
    FROM racing.athlete AS a WHERE a.id > \(after) AND a.id % 8 <> 0
    """
  }

  /// Ended two hours ago, due one hour ago; each with a start of its own, and so with a key of its own.
  static func races(_ count: Int, status: String, hasVoid: Bool) -> Statement {
    """
    INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
      platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, next_check_at, created_at)
    SELECT CASE WHEN \(hasVoid) AND n % 10 = 0 THEN 'fastest_5km' ELSE 'top_speed' END, 'daily', 'senior_men',
      c.now - interval '30 hours' - n * interval '1 second' - t.past * interval '1 day', c.now - interval '2 hours',
      c.now - interval '1 hour', 100, 1, '{75,20,5}', interval '3 hours', interval '72 hours', \(status),
      c.now - interval '1 hour', c.now - interval '31 hours'
    FROM generate_series(1, \(Int64(count))) AS n, (SELECT settled.clock() AS now) AS c,
      (SELECT count(*) AS past FROM racing.race) AS t
    ORDER BY n RETURNING id
    """
  }

  static func entries(_ races: [Int64], entries: Int, athletes: Int, after: Int64) -> Statement {
    """
    INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at)
    SELECT r.id, p.athlete, 100, settled.clock() - interval '20 hours' + k * interval '1 millisecond'
    FROM (SELECT array_agg(a.id ORDER BY a.id) AS ids FROM racing.athlete AS a WHERE a.id > \(after)) AS a,
      unnest(\(races)) WITH ORDINALITY AS r(id, n), generate_series(1, \(Int64(entries))) AS k,
      LATERAL (SELECT a.ids[1 + (r.n * 13 + k) % \(Int64(athletes))] AS athlete) AS p
    ORDER BY r.n, k
    """
  }

  static func feeJournals(_ races: [Int64]) -> Statement {
    """
    INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
    SELECT 'entry_fee', 'entry/' || e.id, e.race_id, 'Entry fee', e.entered_at
    FROM racing.entry AS e WHERE e.race_id = ANY(\(races)) ORDER BY e.id
    """
  }

  /// Wallets still hold what they held before: balances run down from there.
  static func feePostings(_ races: [Int64]) -> Statement {
    """
    WITH fee AS (
      SELECT e.*, j.id AS journal, (w.balance_pence - sum(e.fee_pence) OVER (PARTITION BY e.athlete_id ORDER BY e.id))
        AS balance
      FROM racing.entry AS e JOIN racing.journal AS j ON j.idempotency_key = 'entry/' || e.id
        JOIN racing.wallet AS w ON w.athlete_id = e.athlete_id
      WHERE e.race_id = ANY(\(races))
    )
    INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
    SELECT p.* FROM fee AS f, LATERAL (VALUES
      (f.journal, 'wallet', f.athlete_id, NULL, f.id, -f.fee_pence, f.balance::bigint),
      (f.journal, 'pool', NULL, f.race_id, f.id, f.fee_pence, NULL)) AS p
    ORDER BY f.id
    """
  }

  static func charge(_ races: [Int64]) -> Statement {
    """
    UPDATE racing.wallet AS w SET balance_pence = w.balance_pence - f.total
    FROM (SELECT athlete_id, sum(fee_pence)::bigint AS total FROM racing.entry WHERE race_id = ANY(\(races))
      GROUP BY athlete_id) AS f
    WHERE w.athlete_id = f.athlete_id
    """
  }

  static func count(_ races: [Int64]) -> Statement {
    """
    UPDATE racing.race AS r SET entry_count = (SELECT count(*) FROM racing.entry AS e WHERE e.race_id = r.id)
    WHERE r.id = ANY(\(races))
    """
  }
}
