-- References of the ledger are checked once per statement, and settlement has one column for when a race is due.

-- What a posting or a payout names is checked over the statement's rows (functions/3-racing/references.sql), which also
-- sees that the entry is of that athlete and race. A check per row was a third of what a small race costs.
ALTER TABLE racing.posting
  DROP CONSTRAINT posting_journal_id_fkey, DROP CONSTRAINT posting_athlete_id_fkey,
  DROP CONSTRAINT posting_race_id_fkey, DROP CONSTRAINT posting_entry_id_fkey;
ALTER TABLE racing.payout
  DROP CONSTRAINT payout_settlement, DROP CONSTRAINT payout_entry_id_fkey, DROP CONSTRAINT payout_athlete_id_fkey;

-- When settlement looks at a race next: an ended one at attend_at, one of any status at its mark. One index gives the
-- claim its order, however many are due.
ALTER TABLE racing.race ADD COLUMN settle_at timestamptz
  GENERATED ALWAYS AS (least(CASE WHEN status = 'ended' THEN attend_at END, marked_at)) STORED;
DROP INDEX racing.race_to_settle;
DROP INDEX racing.race_to_follow_up;
CREATE INDEX race_to_settle ON racing.race (settle_at, id) WHERE settle_at IS NOT NULL;
