extension ConstraintCases {
  /// Each begins with a runner who has earned, in a season in which there is a reward.
  static let seasons: [(name: String, statement: String)] = [
    ("activity_type_points", "INSERT INTO seasons.activity_type VALUES ('NAP', 0)"),
    ("runner_name", "UPDATE seasons.runner SET name = ''"),
    ("runner_graduating_class", "UPDATE seasons.runner SET graduating_class = 32"),
    ("runner_team", "UPDATE seasons.runner SET team = 'XX'"),
    ("runner_points", "UPDATE seasons.runner SET points = -1"),
    ("earning_once", "\(earning("'WORKOUT', 'u', sha256('u'), 15, NULL, NULL, NULL"))"),
    ("earning_digest", "\(earning("'WORKOUT', 'v', NULL, 15, NULL, NULL, NULL"))"),
    ("earning_digest", "\(earning("'WORKOUT', NULL, sha256('v'), 15, NULL, NULL, NULL"))"),
    ("earning_points", "\(earning("'WORKOUT', NULL, NULL, 0, NULL, NULL, NULL"))"),
    ("earning_season", "\(earning("'WORKOUT', NULL, NULL, 15, 'x', 2031, NULL"))"),
    ("earning_year", "\(earning("'WORKOUT', NULL, NULL, 15, 'xc', 10000, NULL"))"),
    ("earning_version", "\(earning("'WORKOUT', NULL, NULL, 15, 'xc', NULL, 1"))"),
    ("seasonal_total_once", "INSERT INTO seasons.seasonal_total SELECT * FROM seasons.seasonal_total"),
    ("seasonal_total_points", "UPDATE seasons.seasonal_total SET points = 0"),
    ("team_total_once", "INSERT INTO seasons.team_total VALUES ('xc', 2031, 0, 0, 15), ('xc', 2031, 0, 0, 15)"),
    ("team_total_earned", "INSERT INTO seasons.team_total VALUES ('xc', 2031, 0, 0, -1)"),
    (
      "reward_display_order",
      """
      INSERT INTO seasons.reward (season, year, description, point_threshold, display_order, created_at, updated_at)
      SELECT season, year, description, point_threshold, display_order, created_at, updated_at FROM seasons.reward
      """
    ),
    ("reward_season", "UPDATE seasons.reward SET season = 'x'"),
    ("reward_year", "UPDATE seasons.reward SET year = -1"),
    ("reward_point_threshold", "UPDATE seasons.reward SET point_threshold = 0"),
    ("own_earning_day_earnings", "INSERT INTO seasons.own_earning_day VALUES (1, 'WORKOUT', '2031-06-03', 0)"),
    ("threshold_once", "INSERT INTO seasons.threshold SELECT * FROM seasons.threshold"),
    ("threshold_points", "UPDATE seasons.threshold SET points = 0"),
  ].map { ($0, "\(world); \($1)") }

  private static let world = """
    SELECT seasons.earn_points(seasons.create_runner('Ann', 2032, 'UA', true, true), 'WORKOUT', 'u', 'xc', '2031');
    SELECT seasons.create_reward('{"season": "xc", "year": 2031, "description": "Pizza", "pointThreshold": 100,
      "displayOrder": 1}')
    """

  private static func earning(_ values: String) -> String {
    """
    INSERT INTO seasons.earning (runner_id, activity_type, activity_uuid, activity_digest, points, season, year, version,
      occurred_at) SELECT id, \(values), now() FROM seasons.runner
    """
  }
}
