extension ConstraintCases {
  /// Each begins with a user, a talk, a reaction and a comment.
  static let talks: [(name: String, statement: String)] = [
    (
      "app_user_username",
      "INSERT INTO seasons.app_user (username, display_name, role) SELECT username, display_name, role FROM seasons.app_user"
    ),
    ("app_user_names", "UPDATE seasons.app_user SET username = ''"),
    ("app_user_names", "UPDATE seasons.app_user SET display_name = repeat('x', 10001)"),
    ("app_user_role", "UPDATE seasons.app_user SET role = 'owner'"),
    ("team_talk_uuid", talk("uuid, season, year, team")),
    ("team_talk_season", talk("gen_random_uuid(), 'x', year, team")),
    ("team_talk_year", talk("gen_random_uuid(), season, 10000, team")),
    ("team_talk_team", talk("gen_random_uuid(), season, year, 'XX'")),
    ("reaction_once", "INSERT INTO seasons.reaction SELECT * FROM seasons.reaction"),
    ("reaction_emoji", "UPDATE seasons.reaction SET emoji = ''"),
    (
      "comment_uuid",
      """
      INSERT INTO seasons.comment (uuid, talk_id, user_id, message, depth, created_at, updated_at)
      SELECT uuid, talk_id, user_id, message, depth, created_at, updated_at FROM seasons.comment
      """
    ),
    ("comment_message", "UPDATE seasons.comment SET message = ''"),
    ("comment_depth", "UPDATE seasons.comment SET depth = 1"),
    ("comment_depth", "UPDATE seasons.comment SET depth = 9, parent_id = id"),
    ("view_total_counts", "INSERT INTO seasons.view_total VALUES (1, 1, 2)"),
    ("view_total_counts", "INSERT INTO seasons.view_total VALUES (1, 1, -1)"),
    ("viewer_once", "INSERT INTO seasons.viewer VALUES (1, 1), (1, 1)"),
    ("recent_view_once", "INSERT INTO seasons.recent_view VALUES (1, now(), 1, 1, 'x'), (1, now(), 1, 1, 'x')"),
  ].map { ($0, "\(world); \($1)") }

  private static let world = """
    SELECT seasons.create_user('ann', 'Ann', 'runner');
    SELECT seasons.react(t, 'ann', 'x'), seasons.comment(t, 'ann', 'm') FROM seasons.create_team_talk('{"author": "coach",
      "season": "xc", "year": "2031", "title": "T", "content": "C", "team": "UA"}') AS t
    """

  private static func talk(_ values: String) -> String {
    """
    INSERT INTO seasons.team_talk (uuid, season, year, team, author, title, content, created_at, updated_at)
      SELECT \(values), author, title, content, created_at, updated_at FROM seasons.team_talk
    """
  }
}
