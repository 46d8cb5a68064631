-- A change that makes a check or an evaluation due notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF due_at
  ON achievements.person FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON achievements.evaluation FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
