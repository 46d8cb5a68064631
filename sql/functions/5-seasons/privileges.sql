-- The rights in seasons: see settled.give_privileges.
SELECT settled.give_privileges('seasons',
  contract => '{
    create_runner, set_runner_active, earn_points, progress, rewards, runner_points, create_reward, update_reward,
    delete_reward, pride_leaderboard, season_of, create_user, user, create_team_talk, react, unreact, comment,
    track_view, team_talk, team_talks}',
  daemon => '{record_reached, reached, first_reached, team_totals, year_text, verify, erase_runner, erase_user}',
  fixed => '{verify, erase_runner, erase_user}',
  reads => '{
    activity_type, version, threshold, earning, runner, seasonal_total, app_user, team_talk, reaction, comment, view}',
  changes => '{team_total, team_change, reward, uncounted_view, view_total, viewer, recent_view}',
  shows => '{
    activity_type, runner, version, earning, seasonal_total, team_total, team_change, reward, threshold, app_user,
    team_talk, reaction, comment, view, uncounted_view, view_total, viewer, recent_view}');
