-- Who may do what in seasons: see settled.give_privileges.
SELECT settled.give_privileges('seasons',
  contract => '{
    create_runner, set_runner_active, earn_points, progress, rewards, runner_points, create_reward, update_reward,
    delete_reward, pride_leaderboard, season_of}',
  daemon => '{record_reached, reached, team_totals, crossed_at, year_text, verify}',
  fixed => '{verify}',
  reads => '{activity_type, version, threshold, earning, runner, seasonal_total}',
  changes => '{team_total, team_change, reward}',
  shows => '{activity_type, runner, version, earning, seasonal_total, team_total, team_change, reward, threshold}');
