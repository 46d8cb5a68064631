extension ConstraintCases {
  /// Each begins with a profile, its streak and its entry of 28 March.
  static let checkIns: [(name: String, statement: String)] = [
    (
      "profile_user",
      "INSERT INTO checkins.profile (user_id, is_onboarded, created_at, zone_since) SELECT user_id, false, created_at, zone_since FROM checkins.profile"
    ),
    ("profile_user_id", "UPDATE checkins.profile SET user_id = ''"),
    ("profile_user_id", "UPDATE checkins.profile SET user_id = repeat('x', 10001)"),
    ("profile_longest", "UPDATE checkins.profile SET longest_streak = 0"),
    ("profile_longest", "UPDATE checkins.profile SET longest_streak = -1, streak_id = NULL"),
    ("profile_streak", "UPDATE checkins.profile SET streak_id = 99"),
    ("profile_chronological_age", "UPDATE checkins.profile SET chronological_age_years = 150.1"),
    ("profile_trend", "UPDATE checkins.profile SET rejuvenation_days = -1"),
    ("profile_trend", "UPDATE checkins.profile SET acceleration_days = 1, trend_days = 2"),
    ("entry_of_date", "INSERT INTO checkins.entry SELECT * FROM checkins.entry"),
    ("entry_score", "UPDATE checkins.entry SET score = 9.5"),
    ("entry_score", "UPDATE checkins.entry SET score = -11.5"),
    ("entry_score", "UPDATE checkins.entry SET score = 7.3"),
    ("streak_dates", "UPDATE checkins.streak SET started_on = last_on + 1"),
    ("streak_dates", "UPDATE checkins.streak SET ends_on = last_on"),
    ("streak_length", "UPDATE checkins.streak SET length = 0"),
    ("streak_length", "UPDATE checkins.streak SET length = 2"),
    ("zone_streaks_ended", "UPDATE checkins.zone SET streaks_ended = -1"),
    ("zone_ended", "UPDATE checkins.zone SET ended_id = 1"),
    ("zone_ended", "UPDATE checkins.zone SET ended_on = next_date"),
    ("zone_ended", "UPDATE checkins.zone SET ended_on = next_date + 1, ended_id = 1"),
    ("tally_once", "INSERT INTO checkins.tally SELECT * FROM checkins.tally"),
    ("tally_checked_in", "UPDATE checkins.tally SET checked_in = -1"),
    ("day_once", "INSERT INTO checkins.day SELECT * FROM checkins.day"),
    ("day_totals", "UPDATE checkins.day SET checked_in = -1"),
    ("day_totals", "UPDATE checkins.day SET streaks_ended = -1"),
  ].map { ($0, "\(world); \($1)") }

  private static let world = """
    INSERT INTO checkins.profile (user_id, is_onboarded, created_at, zone_since) VALUES ('u', true, now(), '2031-03-01');
    INSERT INTO checkins.streak (profile_id, zone, started_on, last_on, length, ends_on)
      SELECT id, 'UTC', '2031-03-28', '2031-03-28', 1, '2031-03-29' FROM checkins.profile;
    UPDATE checkins.profile SET streak_id = (SELECT id FROM checkins.streak), longest_streak = 1;
    INSERT INTO checkins.entry SELECT id, '2031-03-28', 'UTC', 9, '{}', now() FROM checkins.profile;
    INSERT INTO checkins.zone VALUES ('UTC', '2031-03-28', now());
    INSERT INTO checkins.tally VALUES ('UTC', '2031-03-28', 0, 1);
    INSERT INTO checkins.day VALUES ('UTC', '2031-03-27', 1, 0, now())
    """
}
