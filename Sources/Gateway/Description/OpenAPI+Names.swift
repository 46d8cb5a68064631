import ControlAPI

extension OpenAPI {
  /// Objects that have a name in the description; each JSON Schema has one.
  static let named: [(name: String, schema: AnswerSchema)] =
    [
      ("User", RacepaceSchema.user), ("Wallet", RacepaceSchema.wallet), ("Transaction", RacepaceSchema.transaction),
      ("Race", RacepaceSchema.race), ("Leaderboard", RacepaceSchema.leaderboard), ("Entry", RacepaceSchema.entry),
      ("Activity", RacepaceSchema.activity), ("NewActivity", RacepaceSchema.newActivity),
      ("FlaggedActivity", RacepaceSchema.flaggedActivity), ("Location", RacepaceSchema.place),
      ("Session", SignIn.session),
    ] + [
      ("SeasonalProgress", TeamSchema.progress), ("RewardProgress", TeamSchema.rewardShown),
      ("Reward", TeamSchema.reward), ("RunnerPoints", TeamSchema.runnerPoints), ("EarnedPoints", TeamSchema.earned),
      ("TeamTalk", TeamSchema.talk), ("TeamTalks", TeamSchema.talks),
    ] + [
      ("Achievement", GReadSchema.achievement), ("AchievementsOfUser", GReadSchema.ofPerson),
      ("CheckedAchievements", GReadSchema.checked), ("AchievementStatistics", GReadSchema.statistics),
      ("Leader", GReadSchema.leader), ("Profile", CheckIn.profile), ("Summary", CheckIn.summary),
      ("Metrics", CheckIn.metrics),
    ]
}
