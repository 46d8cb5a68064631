-- Races that are due at once, as the contract's functions would have left them: 400 races
-- of 20 entries, for the system test.
BEGIN;
CREATE TEMP TABLE made AS
  WITH a AS (
    INSERT INTO racing.athlete (display_name, date_of_birth, gender, user_type, created_at)
    SELECT 'Athlete ' || n, date '2003-05-05', 'male', 'racer', settled.clock() FROM generate_series(1, 20) AS n RETURNING id
  ) SELECT id, row_number() OVER (ORDER BY id) AS n FROM a;
INSERT INTO racing.wallet (athlete_id, balance_pence) SELECT id, 40900 FROM made;
WITH journal AS (
  INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
  SELECT 'deposit', 'athlete/' || id || '/herd', 'Deposit', settled.clock() FROM made
  RETURNING id, split_part(idempotency_key, '/', 2)::bigint AS athlete
)
INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
SELECT j.id, a.account, CASE WHEN a.sign > 0 THEN j.athlete END, a.sign * 40900, CASE WHEN a.sign > 0 THEN 40900 END
FROM journal AS j, (VALUES ('external', -1), ('wallet', 1)) AS a (account, sign);
INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time, distance,
  content_hash, imported_at, status, scored, top_speed_mm_per_s)
SELECT id, 1000000000 + id, 'Paddle', 'Kayaking', settled.clock() - interval '150 minutes', 1800, 1800, 900,
  sha256(convert_to(id::text, 'UTF8')), settled.clock() - interval '110 minutes', 'verified', true, 3000 + id * 7919 % 400
FROM made;
CREATE TEMP TABLE due AS
  WITH r AS (
    INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence, platform_fee_percent,
      prize_shares, entry_cutoff, review_hold, status, next_check_at, created_at)
    SELECT 'top_speed', 'daily', 'senior_men', c.now - interval '30 hours' - n * interval '1 second' - t.past * interval '1 day',
      c.now - interval '2 hours', c.now - interval '1 hour', 100, 1, '{75,20,5}', interval '3 hours', interval '72 hours',
      'ended', c.now - interval '1 hour', c.now - interval '31 hours'
    FROM generate_series(1, 400) AS n, (SELECT settled.clock() AS now) AS c,
      (SELECT count(*) AS past FROM racing.race WHERE type = 'top_speed' AND ends_at < settled.clock()) AS t
    RETURNING id
  ) SELECT id FROM r;
INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at)
SELECT d.id, m.id, 100, settled.clock() - interval '20 hours' + m.n * interval '1 millisecond' FROM due AS d, made AS m
ORDER BY d.id, m.n;
INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
SELECT 'entry_fee', 'entry/' || e.id, e.race_id, 'Entry fee', e.entered_at
FROM racing.entry AS e JOIN due AS d ON d.id = e.race_id ORDER BY e.id;
WITH fee AS (
  SELECT e.*, j.id AS journal, (w.balance_pence - sum(e.fee_pence) OVER (PARTITION BY e.athlete_id ORDER BY e.id)) AS balance
  FROM racing.entry AS e JOIN due AS d ON d.id = e.race_id JOIN racing.journal AS j ON j.idempotency_key = 'entry/' || e.id
    JOIN racing.wallet AS w ON w.athlete_id = e.athlete_id
)
INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
SELECT p.* FROM fee AS f, LATERAL (VALUES
  (f.journal, 'wallet', f.athlete_id, NULL, f.id, -f.fee_pence, f.balance::bigint),
  (f.journal, 'pool', NULL, f.race_id, f.id, f.fee_pence, NULL)) AS p
ORDER BY f.id;
UPDATE racing.wallet AS w SET balance_pence = 900 FROM made AS m WHERE w.athlete_id = m.id;
UPDATE racing.race AS r SET entry_count = 20 FROM due AS d WHERE d.id = r.id;
COMMIT;
