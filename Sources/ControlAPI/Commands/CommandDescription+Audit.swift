extension CommandDescription {
  static let occurrenceSystem = [occurrences, auditSchedule]

  package static let occurrences = CommandDescription(
    "occurrences", .get, "/v1/occurrences", level: .read,
    summary: "What became of schedules' ticks, newest first.",
    parameters: [
      .optional("name", .text, "Only of this schedule."),
      .optional("from", .text, "Only from this instant on."),
      .optional("to", .text, "Only before this instant."),
      .optional("status", .text, "Only planned, running, ran, skipped, coalesced or failed ones."),
      .optional("limit", .integer, "How many: 1 to 100000, by default 50."),
    ],
    answer: .array(
      .object([
        "id": .integer, "schedule": .text, "instant": .instant,
        "status": .choice(["planned", "running", "ran", "skipped", "coalesced", "failed"]), "reason": .nullable(.text),
        "startedAt": .nullable(.instant), "finishedAt": .nullable(.instant), "node": .nullable(.text),
        "rows": .nullable(.integer),
      ])))

  package static let auditSchedule = CommandDescription(
    "audit.schedule", .get, "/v1/audit/schedule", level: .read,
    summary: "Prove that every tick has its occurrence and every occurrence its tick.",
    parameters: [
      .optional("from", .text, "From this instant on, by default all that is kept."),
      .optional("to", .text, "Before this instant, by default now."),
      .optional("schedule", .text, "Only this schedule."),
    ],
    answer: .object([
      "occurrences": .integer, "gaps": .array(.tick), "doubles": .array(.tick), "gapCount": .integer,
      "doubleCount": .integer,
    ]))
}

extension AnswerSchema {
  fileprivate static let tick = AnswerSchema.object(["schedule": .text, "instant": .instant])
}
