-- A change that makes something due in strava notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_call_at
  ON strava.connection FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF key_id
  ON strava.secret FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_call_at
  ON strava.import_request FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON strava.found_activity FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF retired_at
  ON strava.sealing_key FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
