-- An administrator may overrule a decision about an activity (Racing.docc/Moderation.md). An approval brings the
-- athlete's entries back: in a race that is not settled at once, in a settled one by its next correction.
ALTER TABLE racing.decision ADD COLUMN is_overruling boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.decision.is_overruling IS
  'Whether an administrator overruled: no moderator decides after it while the activity keeps its content.';

ALTER TABLE racing.entry ADD COLUMN reinstatement_count integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN racing.entry.reinstatement_count IS
  'How often the fee was taken again after a refund, before the settlement: it numbers the journals of both.';

ALTER TABLE racing.race ADD COLUMN is_reinstating boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT race_reinstating CHECK (NOT is_reinstating OR status = 'settled');
COMMENT ON COLUMN racing.race.is_reinstating IS
  'Whether the next correction brings entries back: those out by an activity that is not disqualified any more.';
