-- Journals that were booked twice under one key, because the locale data of the server had changed. `settled migrate
-- --mark-doubles` lists the later one here and gives it another key. Its digest keeps the first key.

CREATE TABLE racing.journal_double (
  journal_id bigint PRIMARY KEY REFERENCES racing.journal (id),
  double_of bigint NOT NULL REFERENCES racing.journal (id),
  idempotency_key text COLLATE "C" NOT NULL,
  marked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT journal_double_later CHECK (double_of < journal_id)
);
COMMENT ON TABLE racing.journal_double IS
  'The later of two journals with one key; settled migrate --mark-doubles lists it.';
COMMENT ON COLUMN racing.journal_double.idempotency_key IS 'The key under which both were booked.';
COMMENT ON COLUMN racing.journal_double.marked_at IS 'A real time.';

COMMENT ON COLUMN racing.race.type IS 'Which figure of an activity decides.';
COMMENT ON COLUMN racing.race.duration IS 'The period that the window covers: a day, a week or a month in the zone of racing.time_zone.';
COMMENT ON COLUMN racing.race.starts_at IS 'Activities count from here to ends_at.';
COMMENT ON COLUMN racing.race.status IS 'upcoming, active, ended, then settled; cancelled from any of the first three.';
COMMENT ON COLUMN racing.race.entry_count IS 'All entries of the race, disqualified and refunded ones too.';

-- As in sql/functions: marking must not change a digest while the functions of the former release are in place.
CREATE OR REPLACE VIEW racing.journal_digest AS
  SELECT j.id AS journal_id, sha256(convert_to(json_build_array(
    j.id, j.kind, coalesce(d.idempotency_key, j.idempotency_key), j.race_id, j.description,
    (extract(epoch FROM j.occurred_at) * 1000000)::bigint, j.written_by::text,
    (SELECT json_agg(json_build_array(p.id, p.account, p.athlete_id, p.race_id, p.entry_id, p.amount_pence, p.balance_pence)
      ORDER BY p.id) FROM racing.posting AS p WHERE p.journal_id = j.id))::text, 'UTF8')) AS digest
  FROM racing.journal AS j LEFT JOIN racing.journal_double AS d ON d.journal_id = j.id
    AND j.idempotency_key = 'double/' || j.id AND d.idempotency_key =
      (SELECT first.idempotency_key FROM racing.journal AS first WHERE first.id = d.double_of);

-- `settled migrate --mark-doubles` calls it; migration 0034 drops it, because no double is possible then.
CREATE FUNCTION racing.mark_journal_doubles()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  INSERT INTO racing.journal_double (journal_id, double_of, idempotency_key)
    SELECT j.id, d.first, j.idempotency_key
    FROM (SELECT k.idempotency_key COLLATE "C" AS key, min(k.id) AS first FROM racing.journal AS k
      GROUP BY k.idempotency_key COLLATE "C" HAVING count(*) > 1) AS d
    JOIN racing.journal AS j ON j.idempotency_key COLLATE "C" = d.key AND j.id <> d.first;
  ALTER TABLE racing.journal DISABLE TRIGGER append_only;
  UPDATE racing.journal AS j SET idempotency_key = 'double/' || j.id
    FROM racing.journal_double AS d WHERE d.journal_id = j.id AND j.idempotency_key <> 'double/' || j.id;
  ALTER TABLE racing.journal ENABLE TRIGGER append_only;
END
$$;
REVOKE EXECUTE ON FUNCTION racing.mark_journal_doubles() FROM PUBLIC;
