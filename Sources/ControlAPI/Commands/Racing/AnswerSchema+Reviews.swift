extension AnswerSchema {
  /// An activity and its open matters.
  static let review = AnswerSchema.object([
    "activity": activity, "flags": .array(flag), "openFlags": .integer,
    "deletedAt": .nullable(.instant), "forgottenAt": .nullable(.instant), "level": .nullable(.integer),
    "openedAt": .nullable(.instant), "state": .nullable(.choice(["open", "info_requested"])),
    "reasons": .array(.choice(["implausible", "provider_flag", "late_change"])), "bounds": .array(bound),
  ])

  /// The same, with the changes of each decision.
  static let reviewInFull = review.with("affected", .array(affected)).with("effectsHash", .text)
    .with("refusals", refusals).with("decidedFlags", .array(decidedFlag)).with("decidedFlagsCount", .integer)

  static let decision = AnswerSchema.object([
    "activityId": .integer, "status": activityStatus,
    "decision": .choice(["approve", "disqualify", "request_info"]), "affectedRaces": .array(.integer),
    "missedRaces": .array(.integer),
  ])

  static let activityStatus = AnswerSchema.choice([
    "pending", "verified", "rejected", "under_review", "disqualified",
  ])

  /// For each decision the rule that refuses it now; null: it may be made.
  private static let refusals = AnswerSchema.object([
    "approve": refusal, "disqualify": refusal, "requestInfo": refusal, "overrule": refusal,
  ])

  private static let refusal = AnswerSchema.nullable(.choice(["decided", "window", "status", "same"]))

  private static let activity = AnswerSchema.object([
    "id": .integer, "athleteId": .integer, "displayName": .text, "stravaId": .integer, "name": .text,
    "activityType": .text, "startDate": .instant, "distance": .number, "elapsedTime": .number, "movingTime": .number,
    "maxSpeed": .nullable(.number), "startLocation": .nullable(location), "endLocation": .nullable(location),
    "status": activityStatus, "reasons": .array(.choice(["type", "gps", "uk", "provider"])), "flagCount": .integer,
    "importedAt": .instant, "visibility": .choice(["everyone", "followers_only", "only_me"]),
  ])

  /// In the unit of the score.
  private static let bound = AnswerSchema.object(["score": raceType, "value": .integer, "bound": .integer])

  private static let location = AnswerSchema.object(["latitude": .number, "longitude": .number])

  private static let flag = AnswerSchema.object([
    "flaggedBy": .integer, "reason": flagReason, "notes": .nullable(.text), "at": .instant, "counts": .boolean,
  ])

  /// A closed flag; without a decision if the activity lost its id at the provider.
  static let decidedFlag = flag.with("closedAt", .instant).with("decision", .nullable(pastDecision))

  static let pastDecision = AnswerSchema.object([
    "at": .instant, "decision": .choice(["approve", "disqualify", "request_info"]), "reviewer": .text, "reason": .text,
  ])

  private static let flagReason = AnswerSchema.choice([
    "suspicious_speed", "motorized_assistance", "impossible_route", "fake_activity", "other",
  ])

  private static let affected = AnswerSchema.object([
    "raceId": .integer, "field": field, "now": reviewed, "approve": .nullable(reviewed),
    "disqualify": .nullable(reviewed),
    "people": .array(.object(["entryId": .integer, "athleteId": .integer, "displayName": .text])),
  ])

  private static let field = AnswerSchema.object([
    "type": raceType, "duration": raceDuration, "category": raceCategory, "status": raceStatus, "dueAt": .instant,
    "entryId": .integer, "entryStatus": entryStatus,
    "entries": .integer, "score": .nullable(.integer), "best": .array(.integer), "median": .nullable(.integer),
    "ranked": .integer,
  ])

  /// The result of a race: only refunds if it is finally void, a settlement, or a correction of one.
  private static let reviewed = AnswerSchema.anyOf([
    .object(["refunds": refunds, "refundsCount": .integer]),
    .object([
      "outcome": outcome, "prizePoolPence": .integer, "payouts": payouts, "refunds": refunds,
      "refundsCount": .integer, "waitingFor": waitingFor,
    ]),
    .object([
      "outcome": outcome, "prizePoolPence": .integer, "payouts": payouts, "revision": .nullable(.integer),
      "nets": .array(.object(["athleteId": .integer, "amountPence": .integer])), "netsCount": .integer,
    ]),
  ])

  private static let refunds = AnswerSchema.array(.object(["entryId": .integer, "amountPence": .integer]))
}
