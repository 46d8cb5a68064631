-- Changes that make work due in check-ins notify the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_at
  ON checkins.zone FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- Grants rights on the tables in checkins, and on the functions to their declared callers.
SELECT settled.give_privileges('checkins',
  reads => '{profile, entry}',
  adds => '{day}',
  changes => '{streak, zone, tally}',
  shows => '{profile, entry, streak, zone, tally, day}');
