import ControlAPI

/// The shapes of GRead's guide: keys in snake_case.
enum GReadSchema {
  /// As the description names them.
  static let named: [(name: String, schema: AnswerSchema)] = [
    ("Achievement", achievement), ("AchievementsOfUser", ofPerson), ("CheckedAchievements", checked),
    ("AchievementStatistics", statistics), ("Leader", leader),
  ]

  static let achievement = AnswerSchema.object([
    "id": .integer, "slug": .text, "name": .text, "description": .text,
    "icon": .object(["type": .text, "color": .text, "symbol": .text], optional: ["svg_url": .nullable(.text)]),
    "unlock_requirements": .nullable(
      .object(["metric": .text, "value": .integer, "condition": .text], optional: ["target": .text])),
    "progress": .nullable(.object(["current": .integer, "required": .integer, "percentage": .number])),
    "steps": .array(
      .object(
        [
          "step_order": .integer, "name": .text, "description": .text, "metric": .text, "target_value": .integer,
          "requires_previous_step": .boolean, "current": .integer, "is_completed": .boolean,
        ],
        optional: ["target": .nullable(.text)])),
    "is_multistep": .boolean, "is_unlocked": .boolean, "date_unlocked": .nullable(.text),
    "reward": .nullable(.integer), "is_hidden": .boolean, "category": .nullable(.text), "display_order": .integer,
  ])

  static let ofPerson = AnswerSchema.object([
    "user_id": .integer, "total": .integer, "unlocked_count": .integer, "achievements": .array(achievement),
  ])

  static let checked = ofPerson.with("newly_unlocked", .array(achievement))

  static let statistics = AnswerSchema.object([
    "total_achievements": .integer, "total_unlocks": .integer, "average_unlocks_per_achievement": .number,
    "most_unlocked": .nullable(counted), "least_unlocked": .nullable(counted),
    "top_achievers": .array(
      .object(["rank": .integer, "user_id": .integer, "user_name": .text, "achievement_count": .integer])),
  ])

  static let leader = AnswerSchema.object([
    "rank": .integer, "user_id": .integer, "user_name": .text, "achievement_count": .integer,
    "user_avatar_url": .text,
  ])

  private static let counted = AnswerSchema.object([
    "id": .integer, "name": .text, "slug": .text, "unlock_count": .integer,
  ])
}
