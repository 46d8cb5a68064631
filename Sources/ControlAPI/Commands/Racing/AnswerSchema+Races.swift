extension AnswerSchema {
  static let outcome = AnswerSchema.choice(["paid", "void"])
  static let raceType = AnswerSchema.choice(["top_speed", "furthest_distance", "fastest_1km", "fastest_5km"])
  static let raceDuration = AnswerSchema.choice(["daily", "weekly", "monthly"])
  static let raceCategory = AnswerSchema.choice([
    "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women", "masters_men",
  ])
  static let raceStatus = AnswerSchema.choice(["upcoming", "active", "ended", "settled", "cancelled"])

  static let entryStatus = AnswerSchema.choice(["entered", "completed", "disqualified", "refunded"])

  static let payouts = AnswerSchema.array(
    .object(["place": .integer, "entryId": .integer, "athleteId": .integer, "amountPence": .integer]))

  private static let waitingReason = AnswerSchema.choice(["end", "grace", "review", "provider"])

  /// Null if the race does not wait.
  static let waitingFor = AnswerSchema.nullable(
    .object(["reason": waitingReason, "until": .instant, "activities": .array(.integer)]))

  /// The payments of settling a race; the last two are present once it is settled.
  static let settlement = AnswerSchema.object(
    [
      "raceId": .integer, "outcome": outcome, "inputHash": .text, "feesPence": .integer, "platformFeePence": .integer,
      "prizePoolPence": .integer, "refundedPence": .integer, "payouts": payouts, "waitingFor": waitingFor,
    ], optional: ["revision": .integer, "settledAt": .instant])

  /// A race; the optional members are those of `explain`.
  static let race = AnswerSchema.object(
    [
      "id": .integer, "type": raceType, "duration": raceDuration, "category": raceCategory, "startsAt": .instant,
      "endsAt": .instant, "dueAt": .instant, "createdAt": .instant, "status": raceStatus, "entryFeePence": .integer,
      "entryCount": .integer, "grossPence": .integer, "platformFeePence": .integer, "prizePoolPence": .integer,
      "waitingFor": waitingFor,
      "settlement": .nullable(
        .object([
          "revision": .integer, "outcome": outcome, "settledAt": .instant, "payouts": payouts,
          "revisions": .array(revision),
        ])),
      "order": .nullable(order),
    ], optional: ["ranking": .array(ranked), "rankingCount": .integer, "split": split, "hold": hold])

  /// The newest order for the race.
  private static let order = AnswerSchema.object([
    "id": .integer, "kind": .choice(["settle", "cancel"]), "override": .boolean, "orderedAt": .instant,
    "finishedAt": .nullable(.instant), "rule": .nullable(.text), "refusal": .nullable(.text),
  ])

  private static let revision = AnswerSchema.object([
    "revision": .integer, "at": .instant, "reason": .choice(["settlement", "correction"]), "paidPence": .integer,
  ])

  private static let ranked = AnswerSchema.object([
    "rank": .nullable(.integer), "entryId": .integer, "athleteId": .integer, "displayName": .text,
    "entryStatus": entryStatus, "activityId": .nullable(.integer), "score": .nullable(.integer), "why": .text,
  ])

  private static let split = AnswerSchema.object([
    "outcome": outcome, "feesPence": .integer, "platformFeePercent": .text, "platformFeePence": .integer,
    "prizePoolPence": .integer, "refundedPence": .integer, "shares": .array(.integer),
    "payouts": .array(.object(["place": .integer, "entryId": .integer, "amountPence": .integer])),
  ])

  private static let hold = AnswerSchema.object([
    "waits": .boolean, "reason": .nullable(waitingReason), "until": .nullable(.instant),
    "activities": .array(.integer), "claims": .array(.integer), "athletes": .array(.integer), "held": .array(.integer),
    "heldClaims": .array(.integer),
  ])
}
