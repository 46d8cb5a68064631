-- A change that makes something due in check-ins notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_at
  ON checkins.zone FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- The rights of the tables in checkins, and of the functions by their declared callers.
SELECT settled.give_privileges('checkins',
  reads => '{profile, entry}',
  adds => '{day}',
  changes => '{streak, zone, tally}',
  shows => '{profile, entry, streak, zone, tally, day}');
