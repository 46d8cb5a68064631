-- The rights in gateway: see settled.give_privileges. These are all that settled_gateway may call anywhere.
SELECT settled.give_privileges('gateway',
  gateway => '{
    earlier_answer, keep_answer, is_current, identity, credentials, log_in, forget_attempt, log_out, check_email,
    request_reset, check_reset, set_password, register, public_url,
    racepace_session, racepace_user, racepace_update_user, racepace_update_strava, racepace_races, racepace_race,
    racepace_leaderboard, racepace_enter, racepace_entries, racepace_entry, racepace_activities,
    racepace_own_activities, racepace_import, racepace_flag, racepace_flagged, racepace_review, racepace_wallet,
    racepace_transactions, racepace_deposit, racepace_withdraw,
    team_progress, team_rewards, team_runner_points, team_create_reward, team_update_reward, team_delete_reward, team_earn,
    team_track_view, team_talk, team_season_talks, team_all_talks,
    gread_achievements, gread_achievement, gread_achievement_by_slug, gread_user_achievements, gread_own_achievements,
    gread_check, gread_stats, gread_leaderboard,
    checkin_me, checkin_update_profile, checkin_onboard, checkin_summary, checkin_submit}',
  unfixed => '{is_current}');
