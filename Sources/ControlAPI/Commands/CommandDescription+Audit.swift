extension CommandDescription {
  static let auditSystem = [auditLog, auditSchedule]

  package static let auditLog = CommandDescription(
    "audit.log", .get, "/v1/audit/log", level: .read, weight: .heavy,
    summary: "List operators' commands, newest first.",
    parameters: [
      .optional("from", .text, "Only commands since this instant (ISO 8601)."),
      .optional("limit", .integer, "Maximum number of entries, 1 to 1000 (default: 50)."),
      .optional("after", .text, "Only entries after the entry with this cursor.", value: "cursor"),
      .optional("uid", .integer, "Only commands run by the user with this uid."),
      .optional("command", .text, "Only this command, such as race.settle."),
      .optional("target", .text, "Only commands on this target."),
    ],
    answer: .array(
      .object([
        "id": .integer, "at": .instant, "uid": .integer, "gid": .integer, "pid": .integer, "command": .text,
        "target": .text, "before": .anything, "after": .anything, "reason": .nullable(.text),
        "requestId": .nullable(.text), "user": .nullable(.text), "client": .nullable(.text), "cursor": .text,
      ])))

  package static let auditSchedule = CommandDescription(
    "audit.schedule", .get, "/v1/audit/schedule", level: .read, weight: .heavy,
    summary: "Verify that every tick has an occurrence and every occurrence has a tick.",
    more: "; exits 1 if any is missing",
    parameters: [
      .optional("from", .text, "Start of the range (default: the oldest stored occurrence).", value: "instant"),
      .optional("to", .text, "End of the range, exclusive (default: now).", value: "instant"),
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
