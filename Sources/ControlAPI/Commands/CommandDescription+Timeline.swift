extension CommandDescription {
  package static let timeline = CommandDescription(
    "timeline", .get, "/v1/timeline", level: .read, weight: .heavy,
    summary: """
      Show past and upcoming work on all nodes; if there are more than 2,000 marks, they are grouped into intervals \
      of at least 15 minutes.
      """,
    parameters: CommandParameter.range(daysMax: 8),
    answer: .object([
      "from": .instant, "to": .instant, "now": .instant, "countedBySeconds": .nullable(.integer),
      "marks": .array(.mark),
    ]))

  package static let lateness = CommandDescription(
    "lateness", .get, "/v1/lateness", level: .read, weight: .heavy,
    summary: "Show how late each job and schedule ran, according to the database's records for all nodes.",
    parameters: CommandParameter.range(daysMax: 8),
    answer: .object([
      "jobs": .array(
        .object([
          "job": .text, "count": .integer, "p50Ms": .integer, "p99Ms": .integer, "maxMs": .integer,
          "buckets": .array(.object(["upToMs": .nullable(.integer), "count": .integer])),
        ]))
    ]))
}

extension AnswerSchema {
  fileprivate static let mark = AnswerSchema.object([
    "at": .instant, "until": .nullable(.instant),
    "lane": .choice(["races", "holds", "days", "schedules", "jobs", "calls"]), "job": .text, "key": .nullable(.text),
    "count": .integer, "pence": .nullable(.integer),
    "outcome": .choice(["pending", "held", "done", "failed", "missed", "skipped"]), "latenessMs": .nullable(.integer),
    "note": .nullable(.text),
  ])
}
