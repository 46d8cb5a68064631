extension CommandDescription {
  static let scheduleSystem = [
    scheduleList, scheduleAdd, scheduleRemove, schedulePause, scheduleResume, schedulePreview, scheduleBackfill,
    scheduleBackfillPreview, scheduleDays, occurrences, occurrencesDays, zoneOffsets,
  ]

  private static let schedule = CommandParameter.required(
    "name", .text, "The schedule's name from `settlectl schedule list`.")
  private static let expression = "A cron expression of five fields, or six with seconds first."
  private static let zone = CommandParameter.optional("zone", .text, "The expression's time zone (default: UTC).")
  private static let range: [CommandParameter] = [
    .required("from", .text, "Start of the range, inclusive.", value: "instant"),
    .required("to", .text, "End of the range, exclusive.", value: "instant"),
  ]

  package static let scheduleList = CommandDescription(
    "schedule.list", .get, "/v1/schedules", level: .read, summary: "List the schedules.", answer: .array(.schedule))

  package static let scheduleAdd = CommandDescription(
    "schedule.add", .post, "/v1/schedules", level: .admin, summary: "Call a database function on a schedule.",
    parameters: [
      .required(
        "name", .text, "The schedule's name: 1 to 63 letters, digits, dots, hyphens or underscores.", isArgument: true),
      .optional("cron", .text, expression, value: "expression"), zone,
      .optional("at", .text, "A single instant instead of a cron expression (ISO 8601).", value: "instant"),
      .required("call", .text, "The function to call: schema.function, without arguments.", value: "schema.function"),
      .optional(
        "missed", .text, "How to handle missed ticks: skip, once or all (default: once).", value: "skip|once|all"),
      .optional(
        "max", .integer, "With missed=all: how many of the latest missed ticks to run, 1 to 100000.", value: "count"),
      .optional("within", .text, "With missed=all: the maximum age of the missed ticks to run.", value: "span"),
      .optional("timeout", .text, "Maximum duration of a run (default: 5m).", value: "span"),
      .optional(
        "splay", .text, "Delay every run by the same fixed fraction of this span (default: 0).", value: "span"),
      .optional("replace", .boolean, "Replace an existing schedule with this name; its occurrences are kept."),
    ], answer: .schedule)

  package static let scheduleRemove = CommandDescription(
    "schedule.remove", .post, "/v1/schedules/{name}/remove", level: .admin,
    summary: "Remove a schedule; its occurrences are kept.", parameters: [schedule], answer: .schedule)

  package static let schedulePause = CommandDescription(
    "schedule.pause", .post, "/v1/schedules/{name}/pause", level: .operate, summary: "Pause a schedule.",
    parameters: [schedule], answer: .schedule)

  package static let scheduleResume = CommandDescription(
    "schedule.resume", .post, "/v1/schedules/{name}/resume", level: .operate,
    summary: "Resume a paused schedule, starting now.", parameters: [schedule], answer: .schedule)

  package static let schedulePreview = CommandDescription(
    "schedule.preview", .get, "/v1/schedules/preview", level: .read,
    summary: "Show when a cron expression ticks within 61 years of the start, noting clock changes.",
    parameters: [
      .required("cron", .text, expression, value: "expression"), zone,
      .optional("from", .text, "Start of the range, inclusive (default: now).", value: "instant"),
      .optional("count", .integer, "Number of ticks, 1 to 1000 (default: 10)."),
    ],
    answer: .array(
      .object(["localTime": .text, "instant": .instant, "note": .nullable(.choice(["gap", "fold", "last"]))])))

  package static let scheduleBackfill = CommandDescription(
    "schedule.backfill", .post, "/v1/schedules/{name}/backfill", level: .admin,
    summary: "Run past ticks that have no occurrence.", parameters: [schedule] + range, answer: .array(.backfilled))

  package static let scheduleBackfillPreview = CommandDescription(
    "schedule.backfill.preview", .get, "/v1/schedules/{name}/backfill", level: .read, weight: .heavy,
    summary: "List past ticks that have no occurrence.", parameters: [schedule] + range, answer: .array(.backfilled))

  package static let occurrences = CommandDescription(
    "occurrences", .get, "/v1/occurrences", level: .read, weight: .heavy,
    summary: "List schedule occurrences, newest first.",
    parameters: [
      .optional("name", .text, "Only occurrences of this schedule.", isArgument: true),
      .optional("from", .text, "Only occurrences at or after this instant.", value: "instant"),
      .optional("to", .text, "Only occurrences before this instant.", value: "instant"),
      .optional(
        "status", .text, "Only occurrences with this status: planned, running, ran, skipped, coalesced or failed."),
      .optional("limit", .integer, "Maximum number of rows, 1 to 100000 (default: 50)."),
      .optional("after", .text, "Only rows after the row with this cursor.", value: "cursor"),
    ],
    answer: .array(
      .object([
        "id": .integer, "schedule": .text, "instant": .instant,
        "status": .choice(["planned", "running", "ran", "skipped", "coalesced", "failed"]), "reason": .nullable(.text),
        "startedAt": .nullable(.instant), "finishedAt": .nullable(.instant), "node": .nullable(.text),
        "rows": .nullable(.integer), "dueAt": .instant, "plannedAt": .instant, "backfilled": .boolean, "cursor": .text,
      ])))
}

extension CommandDescription {
  package static let scheduleDays = CommandDescription(
    "schedule.days", .get, "/v1/schedules/days", level: .read,
    summary: "Show how often a cron expression ticks on each day, noting clock changes.",
    parameters: [
      .required("cron", .text, "A cron expression of five fields, or six with seconds first.", value: "expression"),
      .optional("zone", .text, "The expression's time zone (default: UTC)."),
    ] + CommandParameter.range(daysMax: 400),
    answer: .object([
      "days": .array(
        .object([
          "day": .text, "ticks": .integer, "first": .nullable(.instant), "last": .nullable(.instant), "gaps": .integer,
          "folds": .integer,
        ]))
    ]))

  package static let occurrencesDays = CommandDescription(
    "occurrences.days", .get, "/v1/occurrences/days", level: .read, weight: .heavy, words: ["occurrence-days"],
    summary: "Count ticks per day and outcome.",
    parameters: [
      .optional("schedule", .text, "Only occurrences of this schedule.", value: "name"),
      .required("zone", .text, "The time zone that defines the days."),
    ] + CommandParameter.range(daysMax: 400),
    answer: .object([
      "days": .array(
        .object([
          "day": .text, "done": .integer, "failed": .integer, "missed": .integer, "skipped": .integer,
          "running": .integer, "planned": .integer,
        ]))
    ]))

  package static let zoneOffsets = CommandDescription(
    "zone.offsets", .get, "/v1/zones/offsets", level: .read,
    summary: "Show the UTC offsets of a time zone, according to the database.",
    parameters: [.required("zone", .text, "The time zone.", isArgument: true)] + CommandParameter.range(daysMax: 400),
    answer: .object([
      "zone": .text,
      "offsets": .array(.object(["from": .instant, "offsetSeconds": .integer, "abbreviation": .text])),
    ]))
}

extension AnswerSchema {
  fileprivate static let schedule = AnswerSchema.object([
    "name": .text, "cron": .nullable(.text), "at": .nullable(.instant), "zone": .text, "call": .nullable(.text),
    "missed": .choice(["skip", "once", "all"]), "max": .nullable(.integer), "within": .nullable(.text),
    "timeout": .text, "splay": .text, "paused": .boolean, "nextDue": .nullable(.instant),
    "builtIn": .boolean,
  ])

  fileprivate static let backfilled = AnswerSchema.object(["instant": .instant, "status": .choice(["planned"])])
}
