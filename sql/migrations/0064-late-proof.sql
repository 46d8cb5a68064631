-- What is proved late, and by which account at the provider. Source: Racing.docc/Claims.md, "Late proof" and "Whose id
-- it is". No activity is read.
-- The text before read all reviews in the same statement; 0066 validates them.
-- replaces: 93246adbcb40946e0c7819111477260b05b2d1528d24388ab4e11706cd639087
ALTER TABLE racing.activity
  ADD COLUMN proved_by bigint,
  ADD COLUMN late_for bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN is_changed_late boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.activity.proved_by IS
  'The account at the provider that showed it last. Null: none has since this column; it counts as before.';
COMMENT ON COLUMN racing.activity.late_for IS
  'The settled races that it was proved too late for, although it was claimed in time: it never counts there.';
COMMENT ON COLUMN racing.activity.is_changed_late IS
  'Whether it was proved after the due instant of a race, with other values than those that were claimed.';

ALTER TABLE racing.review
  DROP CONSTRAINT review_reasons,
  ADD CONSTRAINT review_reasons CHECK (reasons <@ '{implausible,provider_flag,late_change}') NOT VALID;

ALTER TABLE racing.athlete ADD COLUMN provider_gender text
  CONSTRAINT athlete_provider_gender CHECK (provider_gender IN ('female', 'male'));
COMMENT ON COLUMN racing.athlete.provider_gender IS
  'The gender that the provider gave last, while racing.proof was on. Null: none, or before this column.';
CREATE INDEX athlete_of_two_genders ON racing.athlete (id) WHERE provider_gender <> gender;
