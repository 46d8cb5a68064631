-- The rights in achievements: see settled.give_privileges.
SELECT settled.give_privileges('achievements',
  contract => '{create_user, define, report_metric, catalogue, by_id, by_slug, of_user, check, stats, leaderboard}',
  daemon => '{
    settle_all, settle, record, reached, judge_all, judge, in_reach, met_by_all, evaluated_through, add_totals, erase_person}',
  fixed => '{erase_person}',
  reads => '{achievement, criterion, report}',
  changes => '{
    latch, edition, person, counter, unlock, completion, total, uncounted, evaluation}',
  shows => '{
    latch, achievement, edition, criterion, person, counter, report, unlock, completion, total, uncounted,
    evaluation}');
