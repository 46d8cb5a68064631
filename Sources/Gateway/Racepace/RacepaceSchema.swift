import ControlAPI

/// The shapes that racepace's app sends and reads. Ids are texts, money is pounds, times have whole seconds.
enum RacepaceSchema {
  /// As the description names them.
  static let named: [(name: String, schema: AnswerSchema)] = [
    ("User", user), ("Wallet", wallet), ("Transaction", transaction), ("Race", race), ("Leaderboard", leaderboard),
    ("Entry", entry), ("Activity", activity), ("NewActivity", newActivity), ("FlaggedActivity", flaggedActivity),
    ("Location", place),
  ]

  static let user = person.with("wallet", wallet)

  /// An account without an athlete has no wallet.
  static let sessionUser = person.with("wallet", .nullable(wallet))

  private static let person = AnswerSchema.object([
    "id": .text, "email": .text, "displayName": .text, "userType": .choice(["racer", "spectator"]),
    "createdAt": .instant, "updatedAt": .instant, "dateOfBirth": .nullable(.instant),
    "gender": .nullable(.choice(["female", "male", "other"])), "profileImageURL": .nullable(.text),
    "stravaConnection": .nullable(
      .object(["athleteId": .integer, "accessToken": .text, "refreshToken": .text, "expiresAt": .instant])),
    "strava": .object(["status": .nullable(.text), "missingScopes": .array(.text)]),
  ])

  /// The app sends its whole User.
  static let userChanges = AnswerSchema.object(
    [:],
    optional: [
      "displayName": .nullable(.text), "dateOfBirth": .nullable(.text), "gender": .nullable(.text),
      "userType": .nullable(.text),
    ])

  static let wallet = AnswerSchema.object([
    "id": .text, "userId": .text, "balance": .number, "autoPayoutEnabled": .boolean, "payoutDetails": .nullable(.text),
    "createdAt": .instant, "updatedAt": .instant,
  ])

  static let transaction = AnswerSchema.object([
    "id": .text, "walletId": .text,
    "type": .choice(["deposit", "withdrawal", "entryFee", "prize", "refund"]), "exactType": .text, "amount": .number,
    "description": .text, "status": .choice(["pending", "completed", "failed"]),
    "relatedRaceId": .nullable(.text), "relatedEntryId": .nullable(.text), "createdAt": .instant,
  ])

  static let race = AnswerSchema.object([
    "id": .text, "type": .text, "duration": .choice(["daily", "weekly", "monthly"]), "category": .text,
    "startDate": .instant, "endDate": .instant, "entryCount": .integer, "prizePool": .number, "netPrizePool": .number,
    "entryFee": .number, "status": .choice(["upcoming", "active", "ended", "cancelled"]), "exactStatus": .text,
    "createdAt": .instant,
  ])

  static let leaderboard = AnswerSchema.object([
    "id": .text, "raceId": .text, "updatedAt": .instant,
    "entries": .array(
      .object([
        "id": .text, "rank": .integer, "userId": .text, "userName": .text, "userProfileURL": .nullable(.text),
        "score": .number, "activityId": .nullable(.text), "raceType": .text,
      ])),
  ])

  static let entry = AnswerSchema.object([
    "id": .text, "userId": .text, "raceId": .text, "raceType": .text, "activityId": .nullable(.text),
    "enteredAt": .instant, "score": .nullable(.number), "rank": .nullable(.integer), "status": .text,
    "exactStatus": .text, "prizeWon": .nullable(.number), "transactionId": .nullable(.text),
  ])

  /// One's own also have what only their athlete sees.
  static let activity = AnswerSchema.object(
    activityMembers,
    optional: [
      "reasons": .array(.text), "polyline": .nullable(.text),
      "infoRequested": .nullable(.object(["note": .text, "at": .instant])),
    ])

  private static let activityMembers: KeyValuePairs<String, AnswerSchema> = [
    "id": .text, "stravaId": .integer, "userId": .text, "name": .text,
    "activityType": .choice(["Canoeing", "Kayaking"]), "exactType": .text, "startDate": .instant,
    "elapsedTime": .number, "movingTime": .number, "distance": .number, "maxSpeed": .nullable(.number),
    "averageSpeed": .nullable(.number),
    "startLocation": .nullable(place), "endLocation": .nullable(place), "isGPSVerified": .boolean,
    "isUKActivity": .boolean, "flagCount": .integer, "status": .text, "exactStatus": .text, "importedAt": .instant,
  ]

  /// The provider's measurements; fields that only the server knows are ignored.
  static let newActivity = AnswerSchema.object(
    [
      "stravaId": .anyOf([.text, .integer]), "name": .text, "activityType": .text, "startDate": .text,
      "elapsedTime": .number, "movingTime": .number, "distance": .number,
    ],
    optional: [
      "userId": .text, "maxSpeed": .nullable(.number), "startLocation": .nullable(place),
      "endLocation": .nullable(place), "polyline": .nullable(.text),
      "streams": .nullable(.object(["time": .array(.number), "distance": .array(.number)])),
    ])

  static let flagged = AnswerSchema.object([
    "activityId": .text, "flagCount": .integer, "status": .text, "exactStatus": .text,
  ])

  static let flaggedActivity = AnswerSchema.object([
    "id": .text, "activityId": .text, "userId": .text, "userName": .text, "flagCount": .integer,
    "reasons": .array(.text), "activityDetails": activity, "createdAt": .instant,
  ])

  static let review = AnswerSchema.object([
    "activityId": .text, "decision": .choice(["approve", "disqualify", "requireMoreInfo"]), "status": .text,
    "exactStatus": .text, "affectedRaces": .array(.text),
  ])

  static let place = AnswerSchema.object(["latitude": .number, "longitude": .number])
}
