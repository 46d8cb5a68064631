-- What makes something due in racing wakes the daemons.
CREATE OR REPLACE TRIGGER bell AFTER INSERT OR UPDATE OF status, starts_at, ends_at, due_at, attend_at, marked_at
  ON racing.race FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
CREATE OR REPLACE TRIGGER bell AFTER INSERT OR UPDATE OF status, imported_at
  ON racing.activity FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
CREATE OR REPLACE TRIGGER bell AFTER INSERT
  ON racing.review FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
