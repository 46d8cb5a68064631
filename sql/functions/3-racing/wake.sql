-- A change that makes something due in racing notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF status, starts_at, ends_at, due_at, next_check_at, correction_due_at
  ON racing.race FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF status, imported_at
  ON racing.activity FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON racing.review FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
