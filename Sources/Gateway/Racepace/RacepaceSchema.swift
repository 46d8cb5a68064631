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
      "displayName": .nullable(.shownName), "dateOfBirth": .nullable(birthDate),
      "gender": .nullable(.choice(["female", "male", "other"])), "userType": .nullable(.userType),
    ])

  private static let birthDate = AnswerSchema.text
    .pattern(
      "^(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        + #"(T([01][0-9]|2[0-3]):(00|15|30|45):00(\.0{1,9})?Z)?$"#
    )
    .meaning("a date from 1900 to today, or its midnight in the person's time zone as a UTC instant")
    .example("1990-01-31")

  static let wallet = AnswerSchema.object([
    "id": .text, "userId": .text, "balance": .number.meaning("pounds"),
    "withdrawable": .number.meaning("the part of the balance that can be withdrawn now, in pounds"),
    "resting": .number.meaning("new prizes in pounds, which cannot be withdrawn yet"), "autoPayoutEnabled": .boolean,
    "payoutDetails": .nullable(.text),
    "createdAt": .instant, "updatedAt": .instant,
  ])

  static let transaction = AnswerSchema.object([
    "id": .text, "walletId": .text,
    "type": .choice(["deposit", "withdrawal", "entryFee", "prize", "refund"]), "exactType": .text,
    "amount": .number.meaning("pounds, without a sign"),
    "description": .text, "status": .choice(["pending", "completed", "failed"]),
    "relatedRaceId": .nullable(.text), "relatedEntryId": .nullable(.text), "createdAt": .instant,
  ])

  static let race = AnswerSchema.object([
    "id": .text, "type": .text, "duration": .choice(["daily", "weekly", "monthly"]), "category": .text,
    "startDate": .instant, "endDate": .instant, "entryCount": .integer,
    "prizePool": .number.meaning("the total paid in, in pounds"),
    "netPrizePool": .number.meaning("the total to be paid out, in pounds"), "entryFee": .number.meaning("pounds"),
    "status": .choice(["upcoming", "active", "ended", "cancelled"]), "exactStatus": .text,
    "createdAt": .instant,
  ])

  static let leaderboard = AnswerSchema.object([
    "id": .text, "raceId": .text, "updatedAt": .instant,
    "entries": .array(
      .object([
        "id": .text, "rank": .integer, "userId": .text, "userName": .text, "userProfileURL": .nullable(.text),
        "score": score, "activityId": .nullable(.text), "raceType": .text,
      ])),
  ])

  static let entry = AnswerSchema.object([
    "id": .text, "userId": .text, "raceId": .text, "raceType": .text, "activityId": .nullable(.text),
    "enteredAt": .instant, "score": .nullable(score), "rank": .nullable(.integer), "status": .text,
    "exactStatus": .text, "prizeWon": .nullable(.number.meaning("pounds")), "transactionId": .nullable(.text),
  ])

  /// One's own also have what only their athlete sees.
  static let activity = AnswerSchema.object(
    activityMembers,
    optional: [
      "reasons": .array(.text), "polyline": .nullable(.text), "visibility": visibility,
      "infoRequested": .nullable(.object(["note": .text, "at": .instant])),
    ])

  private static let activityMembers: KeyValuePairs<String, AnswerSchema> = [
    "id": .text, "stravaId": .integer, "userId": .text, "name": .text,
    "activityType": .choice(["Canoeing", "Kayaking"]), "exactType": .text, "startDate": .instant,
    "elapsedTime": .number.meaning("seconds"), "movingTime": .number.meaning("seconds"),
    "distance": .number.meaning("metres"), "maxSpeed": .nullable(.number.meaning("metres per second")),
    "averageSpeed": .nullable(.number.meaning("metres per second")),
    "startLocation": .nullable(place), "endLocation": .nullable(place), "isGPSVerified": .boolean,
    "isUKActivity": .boolean, "flagCount": .integer, "status": .text, "exactStatus": .text, "importedAt": .instant,
  ]

  private static let visibility = AnswerSchema.choice(["everyone", "followers_only", "only_me"])

  /// The provider's measurements; fields that only the server knows are ignored.
  static let newActivity = AnswerSchema.object(
    [
      "stravaId": .anyOf([.idText, .integer.range(1 ... .max).example(json: "9107654321")]),
      "name": .words.example("Morning on the Thames"),
      "activityType": .words.meaning("the provider's name for the type; Canoeing and Kayaking count in races")
        .example("Kayaking"),
      "startDate": start,
      "elapsedTime": .number.above("0", upTo: "100000000").meaning("seconds").example(json: "3725"),
      "movingTime": measured.meaning("seconds").example(json: "3600.5"),
      "distance": measured.meaning("metres").example(json: "10250.4"),
    ],
    optional: [
      "userId": .text.meaning("the caller's own id; can be omitted").example("4711"),
      "maxSpeed": .nullable(.number.range("0", "100000").meaning("metres per second").example(json: "4.2")),
      "startLocation": .nullable(placeSent), "endLocation": .nullable(placeSent),
      "polyline": .nullable(.text.length(0...1_000_000).example("_p~iF~ps|U")),
      "streams": .nullable(streams), "visibility": .nullable(visibility),
    ])

  private static let measured = AnswerSchema.number.range("0", "100000000")

  private static let start = AnswerSchema.text.format("date-time")
    .pattern(
      "^(19[1-9][0-9]|20[0-9]{2}|21[0-8][0-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        + #"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,60})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$"#
    )
    .meaning("with a UTC offset; the activity must end no later than ten minutes from now")
    .example("2031-06-02T08:00:00Z")

  /// Point by point, both of one length.
  private static let streams = AnswerSchema.object([
    "time": .array(measured).count(upTo: 200_000).meaning("seconds since the start, strictly increasing")
      .example(json: "[0,1,2]"),
    "distance": .array(measured).count(upTo: 200_000)
      .meaning("metres since the start, one value per time, non-decreasing").example(json: "[0,2.8,5.7]"),
  ]).closed

  static let flagged = AnswerSchema.object([
    "activityId": .text, "flagCount": .integer, "status": .text, "exactStatus": .text,
  ])

  static let flaggedActivity = AnswerSchema.object(
    [
      "id": .text, "activityId": .text, "userId": .text, "userName": .text, "flagCount": .integer,
      "openFlags": .integer, "reasons": .array(.text), "exactReasons": .array(.text), "activityDetails": activity,
      "createdAt": .instant,
    ],
    optional: [
      "deletedAt": .instant.meaning("when the activity was found to be deleted at the provider"),
      "forgottenAt": .instant.meaning("when the activity's name, places, track and streams were erased"),
    ])

  static let review = AnswerSchema.object([
    "activityId": .text, "decision": .choice(["approve", "disqualify", "requireMoreInfo"]), "status": .text,
    "exactStatus": .text, "affectedRaces": .array(.text),
  ])

  static let place = AnswerSchema.object([
    "latitude": .number.meaning("degrees north"), "longitude": .number.meaning("degrees east"),
  ])

  private static let placeSent = AnswerSchema.object(["latitude": .degreesNorth, "longitude": .degreesEast]).closed

  private static let score = AnswerSchema.number.meaning(
    "kilometres per hour, kilometres or seconds, depending on the race's type")
}
