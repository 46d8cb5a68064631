extension CommandDescription {
  static let raceSystem = [raceList, raceShow, racePreview, raceSettle, raceCancel]

  private static let race = CommandParameter.required("id", .integer, "The race's id.")

  package static let raceList = CommandDescription(
    "race.list", .get, "/v1/races", level: .read,
    summary: "List races, newest first, with their pools and what they are waiting for.",
    parameters: [
      .optional("status", .text, "Only races with this status: upcoming, active, ended, settled or cancelled."),
      .optional("type", .text, "Only races of this type, such as top_speed."),
      .optional("category", .text, "Only races of this category, such as senior_men."),
      .cursor, .optional("limit", .integer, "Maximum number of rows, 1 to 200 (default: 50)."),
    ],
    answer: .page(
      .object([
        "id": .integer, "type": .raceType, "duration": .raceDuration, "category": .raceCategory,
        "status": .raceStatus, "startsAt": .instant, "endsAt": .instant, "dueAt": .instant, "entries": .integer,
        "feePence": .integer, "poolPence": .integer, "waitingFor": .waitingFor, "settledAt": .nullable(.instant),
      ])))

  package static let raceShow = CommandDescription(
    "race.show", .get, "/v1/races/{id}", level: .read, weight: .heavyWith(flag: "explain"),
    summary: "Show a race and its state.",
    parameters: [
      race, .optional("explain", .boolean, "Explain each place and its prize, and what the race is waiting for."),
      .optional("after", .integer, "With explain: number of ranking entries to skip; 500 are shown at a time."),
    ], answer: .race)

  package static let racePreview = CommandDescription(
    "race.preview", .get, "/v1/races/{id}/settlement", level: .read, weight: .heavy,
    summary: "Show what settling a race would pay now, even before its end; writes nothing.", parameters: [race],
    answer: .settlement)

  package static let raceSettle = CommandDescription(
    "race.settle", .post, "/v1/races/{id}/settle", level: .operate, summary: "Settle a race that is due.",
    more: ", or show what it would pay",
    parameters: [
      race,
      .optional(
        "expectHash", .text, "Settle only if the hash of the inputs still matches this one, as printed by the dry run."),
      .optional("override", .boolean, "Skip the grace period and holds; requires the admin level and a reason."),
      .anyReason,
    ], answer: .settlement)

  package static let raceCancel = CommandDescription(
    "race.cancel", .post, "/v1/races/{id}/cancel", level: .admin,
    summary: "Cancel an unsettled race; every fee is refunded in full.", parameters: [race, .reason],
    answer: .object(["raceId": .integer, "status": .choice(["cancelled"]), "refundedPence": .integer]))
}
