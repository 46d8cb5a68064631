extension CommandDescription {
  static let nodeSystem = [status, nodes, doctor, watch, caller, drain, undrain, reload]

  package static let status = CommandDescription(
    "status", .get, "/v1/status", level: .read, summary: "Show the state of the daemon and its jobs.",
    more: ", problems first", answer: .status)

  package static let nodes = CommandDescription(
    "nodes", .get, "/v1/nodes", level: .read, summary: "List the nodes that share this database.",
    answer: .array(
      .object([
        "node": .text, "version": .text, "startedAt": .instant, "lastSeenAt": .instant, "silentMs": .integer,
        "state": .choice(["ready", "degraded", "draining", "gone"]), "clockDifferenceMs": .nullable(.integer),
        "hasProvider": .nullable(.boolean),
      ])))

  package static let watch = CommandDescription(
    "watch", .get, "/v1/watch", level: .read,
    summary: "Watch events, schedule ticks and commands on all nodes.",
    more: "; prints one line (with --json, one object) for each until interrupted",
    parameters: [
      .optional("job", .text, "Only events for this job or schedule, and commands on it.", value: "name"),
      .optional("after", .text, "The cursor from the previous response (default: watch from now on)."),
    ],
    answer: .object([
      "cursor": .text, "missed": .boolean,
      "happenings": .array(
        .object(["at": .instant, "kind": .text, "job": .nullable(.text), "key": .text, "text": .text])),
    ]))

  package static let caller = CommandDescription(
    "caller", .get, "/v1/caller", level: .read, summary: "Show your user and level as the daemon sees them.",
    answer: .object([
      "uid": .integer, "user": .nullable(.text), "level": .choice(CommandLevel.allCases.map(\.rawValue)),
    ]))

  package static let drain = CommandDescription(
    "drain", .post, "/v1/drain", level: .operate,
    summary: "Stop claiming work on this node; running work finishes.", answer: .status)

  package static let undrain = CommandDescription(
    "undrain", .post, "/v1/undrain", level: .operate, summary: "Resume claiming work on this node.", answer: .status)

  package static let reload = CommandDescription(
    "reload", .post, "/v1/reload", level: .admin,
    summary: "Reload the configuration (also allowed for the daemon's own user).",
    more: "; an invalid configuration is rejected (exit 78), and the old one stays in effect",
    answer: .object([
      "logLevel": .text, "operatorsGroup": .nullable(.integer), "adminsGroup": .nullable(.integer),
      "restartNeeded": .array(.text),
    ]))

  package static let doctor = CommandDescription(
    "doctor", .get, "/v1/doctor", level: .read, weight: .heavy, summary: "Check the installation and its data.",
    more: "; exits 1 if a check fails",
    answer: .array(
      .object(["check": .text, "ok": .boolean, "finding": .text, "remedy": .nullable(.text)])))
}

extension AnswerSchema {
  fileprivate static let status = AnswerSchema.object([
    "state": .choice(["ready", "degraded", "draining"]), "version": .text, "schemaVersion": .integer,
    "simulatedClock": .boolean, "node": .text, "now": .instant, "clockSkewMs": .integer, "jobs": .array(.job),
    "problems": .array(.text), "notes": .array(.text), "findings": .array(finding),
  ])

  /// A problem with its remedy, in the order of `problems`.
  private static let finding = AnswerSchema.object([
    "code": .text, "text": .text, "since": .nullable(.instant), "remedy": .text, "target": .nullable(.text),
    "heldPence": .nullable(.integer),
  ])
}
