-- What makes a check or an evaluation due wakes the daemons.
CREATE OR REPLACE TRIGGER bell AFTER INSERT OR UPDATE OF due_at
  ON achievements.person FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
CREATE OR REPLACE TRIGGER bell AFTER INSERT
  ON achievements.evaluation FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
