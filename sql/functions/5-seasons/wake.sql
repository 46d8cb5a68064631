-- What can make a team reach a reward, and what is to be counted, wakes the daemons.
CREATE OR REPLACE TRIGGER bell AFTER INSERT
  ON seasons.team_change FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
CREATE OR REPLACE TRIGGER bell AFTER INSERT
  ON seasons.uncounted_view FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
