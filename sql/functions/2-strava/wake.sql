-- What makes something due in strava wakes the daemons.
CREATE OR REPLACE TRIGGER bell AFTER INSERT OR UPDATE OF status, authorization_code
  ON strava.connection FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
