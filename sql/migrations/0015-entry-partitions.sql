-- Entries have a partition for each month of their dates: those that stand move into the partitions of theirs.
ALTER TABLE checkins.entry RENAME TO entry_before;
CREATE TABLE checkins.entry (
  profile_id bigint NOT NULL REFERENCES checkins.profile,
  date date NOT NULL,
  zone text NOT NULL,
  score numeric(3, 1) NOT NULL,
  metrics jsonb NOT NULL,
  checked_in_at timestamptz NOT NULL,
  CONSTRAINT entry_of_date PRIMARY KEY (profile_id, date),
  CONSTRAINT entry_score CHECK (score BETWEEN -11 AND 9 AND score * 2 = trunc(score * 2))
) PARTITION BY RANGE (date);
DO $$
DECLARE
  month date;
BEGIN
  FOR month IN SELECT DISTINCT date_trunc('month', e.date)::date FROM checkins.entry_before AS e ORDER BY 1 LOOP
    EXECUTE format('CREATE TABLE checkins.%I PARTITION OF checkins.entry FOR VALUES FROM (%L) TO (%L)',
      'entry_' || to_char(month, 'YYYY_MM'), month, (month + interval '1 month')::date);
  END LOOP;
END
$$;
CREATE TABLE checkins.entry_default PARTITION OF checkins.entry DEFAULT;
INSERT INTO checkins.entry SELECT * FROM checkins.entry_before;
DROP TABLE checkins.entry_before;

ALTER TABLE settled.setting
  DROP CONSTRAINT setting_kind,
  ADD CONSTRAINT setting_kind
    CHECK (kind IN ('span', 'spans', 'percent', 'shares', 'whole', 'zone', 'retention'));
INSERT INTO settled.setting (key, kind, default_value, low, high, meaning) VALUES
  ('checkins.entry_retention', 'retention', 'forever', 34560000, 3153600000, 'How long the entries of check-ins are kept.');
