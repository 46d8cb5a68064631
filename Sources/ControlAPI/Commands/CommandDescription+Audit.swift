extension CommandDescription {
  static let auditSystem = [auditLog, auditSchedule]

  package static let auditLog = CommandDescription(
    "audit.log", .get, "/v1/audit/log", level: .read, weight: .heavy, summary: "What operators did, newest first.",
    parameters: [
      .optional("from", .text, "Only what was done since this instant (ISO 8601)."),
      .optional("limit", .integer, "How many entries: 1 to 1000, by default 50."),
      .optional("after", .text, "Only those behind the entry that has this cursor.", value: "cursor"),
      .optional("uid", .integer, "Only what this user did."),
      .optional("command", .text, "Only this command, by its name with dots."),
      .optional("target", .text, "Only what was done to this target."),
    ],
    answer: .array(
      .object([
        "id": .integer, "at": .instant, "uid": .integer, "gid": .integer, "pid": .integer, "command": .text,
        "target": .text, "before": .anything, "after": .anything, "reason": .nullable(.text),
        "requestId": .nullable(.text), "user": .nullable(.text), "client": .nullable(.text), "cursor": .text,
      ])))

  package static let auditSchedule = CommandDescription(
    "audit.schedule", .get, "/v1/audit/schedule", level: .read, weight: .heavy,
    summary: "Prove that every tick has its occurrence and every occurrence its tick.", more: "; exit 1 when one lacks",
    parameters: [
      .optional("from", .text, "From this instant on, by default all that is kept.", value: "instant"),
      .optional("to", .text, "Before this instant, by default now.", value: "instant"),
      .optional("schedule", .text, "Only this schedule.", value: "name"),
    ],
    answer: .object([
      "occurrences": .integer, "gaps": .array(.tick), "doubles": .array(.tick), "gapCount": .integer,
      "doubleCount": .integer,
    ]))
}

extension AnswerSchema {
  fileprivate static let tick = AnswerSchema.object(["schedule": .text, "instant": .instant])
}
