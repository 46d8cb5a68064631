-- The athlete that a moderator is, so that nobody enters a race whose activities they have judged.
-- Source of the rule: Racing.docc/Moderation.md, "Clean judges".
ALTER TABLE racing.decision ADD COLUMN reviewer_athlete bigint;
COMMENT ON COLUMN racing.decision.reviewer_athlete IS
  'The athlete that the reviewer is; null: an operator, an app without athletes, or a decision before this column.';
CREATE INDEX decision_of_reviewer ON racing.decision (reviewer_athlete, activity_id)
  WHERE reviewer_athlete IS NOT NULL AND decision <> 'request_info';
