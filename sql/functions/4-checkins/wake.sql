-- A change that makes something due in check-ins notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_at
  ON checkins.zone FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
