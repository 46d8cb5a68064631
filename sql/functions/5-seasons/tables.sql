-- Changes that can make a team reach a reward, or that have to be counted, notify the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON seasons.team_change FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON seasons.uncounted_view FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- Grants rights on the tables in seasons, and on the functions to their declared callers.
SELECT settled.give_privileges('seasons',
  reads => '{
    activity_type, version, threshold, earning, runner, seasonal_total, app_user, team_talk, reaction, comment, view}',
  changes => '{team_total, team_change, reward, uncounted_view, view_total, viewer, recent_view}',
  shows => '{
    activity_type, runner, version, earning, seasonal_total, team_total, team_change, reward, threshold, app_user,
    team_talk, reaction, comment, view, uncounted_view, view_total, viewer, recent_view}');
