extension CommandDescription {
  static let jobSystem = [jobs, jobRun, jobPause, jobResume, next, timeline, lateness]

  private static let job = CommandParameter.required("name", .text, "The job's name from `settlectl jobs`.")

  package static let jobs = CommandDescription(
    "jobs", .get, "/v1/jobs", level: .read,
    summary: "List the jobs and their states, including the progress of jobs that report it.",
    answer: .array(.job))

  package static let jobRun = CommandDescription(
    "job.run", .post, "/v1/jobs/{name}/run", level: .operate,
    summary: "Run a job now; returns without waiting.", parameters: [job], answer: .job)

  package static let jobPause = CommandDescription(
    "job.pause", .post, "/v1/jobs/{name}/pause", level: .operate, summary: "Pause a job on all nodes.",
    parameters: [job],
    answer: .job)

  package static let jobResume = CommandDescription(
    "job.resume", .post, "/v1/jobs/{name}/resume", level: .operate, summary: "Resume a job on all nodes.",
    parameters: [job], answer: .job)

  package static let next = CommandDescription(
    "next", .get, "/v1/next", level: .read,
    summary: "Show the next due work, counting only the 10,000 earliest items per job.",
    parameters: [.optional("limit", .integer, "Maximum number of instants, 1 to 500 (default: 20).")],
    answer: .array(
      .object(
        ["at": .instant, "key": .nullable(.text), "count": .integer], optional: ["job": .text, "schedule": .text])))
}

extension AnswerSchema {
  static let job = AnswerSchema.object([
    "name": .text, "state": .choice(["idle", "running", "paused"]), "nextDue": .nullable(.instant),
    "overdue": .integer, "lastRunAt": .nullable(.instant), "lastOutcome": .nullable(.text), "failing": .integer,
    "quarantined": .integer, "progress": .nullable(.object(["done": .integer, "total": .integer])),
  ])
}
