extension CommandDescription {
  static let activitySystem = [activityShow, athleteShow]

  package static let activityShow = CommandDescription(
    "activity.show", .get, "/v1/activities/{id}", level: .read, weight: .heavy,
    summary: "Show an activity with its downsampled track and speed; a pruned activity has neither.",
    parameters: [
      .required("id", .integer, "The activity's id."),
      .optional(
        "points", .integer, "Maximum number of track points, and of speed samples, 2 to 2000 (default: 500)."),
    ],
    answer: .object([
      "id": .integer, "athleteId": .integer, "displayName": .text, "status": .activityStatus, "type": .text,
      "startedAt": .instant, "distanceM": .number, "movingMs": .integer, "elapsedMs": .integer,
      "points": .array(.array(.number)), "pointsCount": .integer,
      "samples": .array(.object(["metre": .number, "millisecond": .integer, "mmPerSecond": .integer])),
      "samplesCount": .integer,
      "best": .object(["km1": .nullable(.stretch), "km5": .nullable(.stretch)]),
      "decisions": .array(.pastDecision), "athleteFlags": .integer, "forgottenAt": .nullable(.instant),
      "deletedAt": .nullable(.instant), "decidedFlags": .array(.decidedFlag), "decidedFlagsCount": .integer,
    ]))

  package static let athleteShow = CommandDescription(
    "athlete.show", .get, "/v1/athletes/{id}", level: .read,
    summary: "Show an athlete's wallet, latest entries, and latest activities with their open flags.",
    parameters: [.required("id", .integer, "The athlete's id.")],
    answer: .object([
      "id": .integer, "displayName": .text, "userType": .choice(["racer", "spectator"]), "createdAt": .instant,
      "erasedAt": .nullable(.instant), "balancePence": .integer, "pendingPence": .integer,
      "receivablePence": .integer,
      "entries": .array(
        .object([
          "id": .integer, "raceId": .integer, "status": .entryStatus, "enteredAt": .instant,
          "rank": .nullable(.integer), "prizePence": .integer,
        ])),
      "activities": .array(
        .object([
          "id": .integer, "startedAt": .instant, "type": .text, "status": .activityStatus, "openFlags": .integer,
        ])),
    ]))
}

extension AnswerSchema {
  /// Where on the way, and how long it took.
  fileprivate static let stretch = AnswerSchema.object(["fromMetre": .number, "toMetre": .number, "ms": .integer])
}
