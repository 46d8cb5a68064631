-- What can make a team reach a reward wakes the daemons.
CREATE OR REPLACE TRIGGER bell AFTER INSERT
  ON seasons.team_change FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
