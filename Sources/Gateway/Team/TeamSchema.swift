import ControlAPI

/// The shapes of the team's guides.
enum TeamSchema {
  /// As the description names them.
  static let named: [(name: String, schema: AnswerSchema)] = [
    ("SeasonalProgress", progress), ("RewardProgress", rewardShown), ("Reward", reward), ("RunnerPoints", runnerPoints),
    ("EarnedPoints", earned), ("TeamTalk", talk), ("TeamTalks", talks),
  ]

  /// Those that earn points. Source: the table `seasons.activity_type`, which a test reads.
  static let activityTypes = [
    "TRAINING_RUN", "WORKOUT", "CROSS_TRAINING", "MEET_LOG", "PRE_MEET_LOG", "TEAM_TALK_COMMENT", "LIFTING",
  ]

  static let description = AnswerSchema.someWords.example("Pizza for all")
  static let threshold = AnswerSchema.integer.range(1...1_000_000_000).meaning("points").example(json: "5000")
  /// No two rewards of a season have the same.
  static let order = AnswerSchema.integer.range(1...5000).meaning("unique among the season's rewards")
    .example(json: "3")

  static let rewardShown = AnswerSchema.object([
    "id": .integer, "season": .text, "year": .text, "description": .text, "pointThreshold": .integer,
    "displayOrder": .integer, "isAchieved": .boolean, "achievedDate": .nullable(.instant),
    "progressPercentage": .nullable(.number),
  ])

  static let reward = AnswerSchema.object([
    "id": .integer, "season": .text, "year": .text, "description": .text, "pointThreshold": .integer,
    "displayOrder": .integer, "isAchieved": .boolean, "achievedDate": .nullable(.instant),
    "createdAt": .instant, "updatedAt": .instant,
  ])

  static let place = AnswerSchema.object(["rank": .integer, "runnerId": .integer, "name": .text, "points": .integer])

  static let progress = AnswerSchema.object([
    "season": .text, "year": .text, "teamTotalPoints": .integer, "activeRosterCount": .integer,
    "rewards": .array(rewardShown),
  ])

  static let runnerPoints = AnswerSchema.object([
    "runnerId": .integer, "season": .text, "year": .text, "pointsEarned": .integer,
  ])

  static let earned = AnswerSchema.object([
    "success": .boolean, "pointsEarned": .integer, "newBalance": .integer,
    "transaction": .object([
      "id": .integer, "runnerId": .integer, "activityType": .text, "activityUuid": .nullable(.text),
      "points": .integer, "pointsAmount": .integer, "transactionType": .choice(["EARNED"]), "balanceAfter": .integer,
      "season": .nullable(.text), "year": .nullable(.text), "description": .nullable(.text), "createdAt": .instant,
    ]),
  ])

  static let talk = AnswerSchema.object([
    "teamTalk": .object([
      "uuid": .text, "author": .text, "season": .text, "year": .text, "title": .text, "content": .text, "team": .text,
      "createdAt": .instant, "updatedAt": .instant,
    ]),
    "reactions": .array(.object(["emoji": .text, "count": .integer, "usernames": .array(.text)])),
    "comments": .array(comment(repliesDeep: 8)),
    "totalCommentCount": .integer,
    "viewSummary": .object([
      "totalViews": .integer, "uniqueViewers": .integer,
      "recentViews": .array(.object(["username": .text, "displayName": .text, "viewedAt": .instant])),
    ]),
  ])

  /// Replies are comments again, up to eight deep.
  private static func comment(repliesDeep depth: Int) -> AnswerSchema {
    .object([
      "uuid": .text, "teamTalkUuid": .text, "username": .text, "displayName": .text, "message": .text,
      "createdAt": .instant, "updatedAt": .instant,
      "replies": .array(depth == 0 ? .anything : comment(repliesDeep: depth - 1)),
    ])
  }

  static let talks = AnswerSchema.object(["teamTalks": .array(talk)])
}
