extension ConstraintCases {
  /// Each begins with a person, an achievement with its edition and what belongs to them.
  static let achievements: [(name: String, statement: String)] = [
    (
      "achievement_slug",
      "INSERT INTO achievements.achievement (slug, name, description, icon, reward, is_hidden, display_order) SELECT slug, name, description, icon, reward, is_hidden, display_order FROM achievements.achievement"
    ),
    ("achievement_reward", "UPDATE achievements.achievement SET reward = -1"),
    ("achievement_reward", "UPDATE achievements.achievement SET reward = 1000000001"),
    ("achievement_category", "UPDATE achievements.achievement SET category = 'films'"),
    ("edition_number", "UPDATE achievements.edition SET number = 0"),
    ("edition_replaced", "UPDATE achievements.edition SET replaced_by = number"),
    ("criterion_once", "INSERT INTO achievements.criterion SELECT * FROM achievements.criterion"),
    ("criterion_value", "UPDATE achievements.criterion SET value = -1"),
    ("criterion_value", "UPDATE achievements.criterion SET value = 1000000000000001"),
    ("criterion_step", "UPDATE achievements.criterion SET step_id = 1"),
    ("criterion_step", "UPDATE achievements.criterion SET name = 'Step'"),
    ("person_id", "INSERT INTO achievements.person (id, name, created_at, edition) VALUES (0, 'n', now(), 0)"),
    ("person_name", "UPDATE achievements.person SET name = ''"),
    ("person_name", "UPDATE achievements.person SET name = repeat('x', 10001)"),
    ("person_sums", "UPDATE achievements.person SET earned_points = -1"),
    ("person_sums", "UPDATE achievements.person SET unlock_count = -1"),
    ("person_changed", "UPDATE achievements.person SET changed_at = now(), due_at = NULL"),
    ("person_changed", "UPDATE achievements.person SET changed_metric = 'points'"),
    ("person_changed", "UPDATE achievements.person SET changed_from = 1"),
    ("counter_once", "INSERT INTO achievements.counter SELECT * FROM achievements.counter"),
    ("counter_value", "UPDATE achievements.counter SET value = -1"),
    ("report_once", "INSERT INTO achievements.report SELECT * FROM achievements.report"),
    ("report_mode", "UPDATE achievements.report SET mode = 'take'"),
    ("unlock_once", "INSERT INTO achievements.unlock SELECT * FROM achievements.unlock"),
    ("unlock_reward", "UPDATE achievements.unlock SET reward = -1"),
    ("completion_once", "INSERT INTO achievements.completion SELECT * FROM achievements.completion"),
    ("total_unlocks", "UPDATE achievements.total SET unlocks = 0"),
    ("evaluation_of", "UPDATE achievements.evaluation SET target_key = NULL"),
    ("evaluation_of", "UPDATE achievements.evaluation SET step_id = 1"),
    ("evaluation_counts", "UPDATE achievements.evaluation SET done = -1"),
    ("evaluation_counts", "UPDATE achievements.evaluation SET total = -1"),
  ].map { ($0, "\(club); \($1)") }

  private static let club = """
    INSERT INTO achievements.person (id, name, created_at, edition) VALUES (1, 'Ann', now(), 0);
    INSERT INTO achievements.achievement (slug, name, description, icon, reward, is_hidden, display_order)
      VALUES ('reader', 'Reader', '', '{}', 0, false, 0);
    INSERT INTO achievements.edition SELECT 1, id, 0, now() FROM achievements.achievement;
    INSERT INTO achievements.criterion VALUES (1, 0, NULL, 'points', NULL, '', 5, false);
    INSERT INTO achievements.counter VALUES (1, 'points', '', 5);
    INSERT INTO achievements.report VALUES (1, 'k', '2031-03-01', 'points', '', 5, 'add');
    INSERT INTO achievements.unlock SELECT 1, id, now(), 0 FROM achievements.achievement;
    INSERT INTO achievements.completion VALUES (1, 1, now());
    INSERT INTO achievements.total SELECT id, 1 FROM achievements.achievement;
    INSERT INTO achievements.evaluation (edition, created_at, metric, target_key, last_value) VALUES (1, now(), 'points', '', 5)
    """
}
