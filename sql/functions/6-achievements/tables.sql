-- Changes that make a check or an evaluation due notify the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF due_at
  ON achievements.person FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON achievements.evaluation FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- Grants rights on the tables in achievements, and on the functions to their declared callers.
SELECT settled.give_privileges('achievements',
  reads => '{achievement, criterion, report}',
  changes => '{
    latch, edition, person, counter, unlock, completion, total, uncounted, evaluation}',
  shows => '{
    latch, achievement, edition, criterion, person, counter, report, unlock, completion, total, uncounted,
    evaluation}');
