-- A change that can make a team reach a reward, or that is to be counted, notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON seasons.team_change FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON seasons.uncounted_view FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
