extension CommandDescription {
  static let seasonsSystem = [seasonsStatus, seasonsVerify]

  package static let seasonsStatus = CommandDescription(
    "seasons.status", .get, "/v1/seasons", level: .read,
    summary: "Show the newest seasons with their points and rewards, and the jobs' pending work.",
    answer: .object([
      "seasons": .array(
        .object([
          "season": .choice(["xc", "track"]), "year": .integer, "points": .integer, "rewards": .integer,
          "achieved": .integer, "nextThreshold": .nullable(.integer),
        ])),
      "waitingChanges": .integer, "oldestChangeAt": .nullable(.instant), "uncountedViews": .integer,
      "oldestViewAt": .nullable(.instant),
    ]))

  package static let seasonsVerify = CommandDescription(
    "seasons.verify", .get, "/v1/seasons/verify", level: .read, weight: .heavy,
    summary: "Recompute every points total and check the achieved rewards.",
    more: "; exits 1 on any difference",
    answer: .object(["totals": .integer, "rewards": .integer, "differences": .array(.pointsDifference)]))
}

extension AnswerSchema {
  fileprivate static let pointsDifference = AnswerSchema.object([
    "what": .text, "runnerId": .nullable(.integer), "rewardId": .nullable(.integer), "season": .nullable(.text),
    "year": .nullable(.text), "stored": .integer, "computed": .integer,
  ])
}
