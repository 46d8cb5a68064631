-- Clearer comments on a table and a column. sql/schema.sql contains them.
COMMENT ON TABLE achievements.evaluation IS
  'Groups of people to evaluate against a new edition. A group is either selected by a counter or a step, or includes everyone. A row is deleted when its whole group has been evaluated.';
COMMENT ON COLUMN racing.transaction_end.journal_id IS 'The journal that records the completion, failure or chargeback.';
