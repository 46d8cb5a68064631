extension CommandDescription {
  static let stravaSystem = [stravaStatus, stravaRefresh, stravaDisconnect, stravaRotateKey]

  private static let athlete = CommandParameter.required("id", .integer, "The athlete, by our number.")

  package static let stravaStatus = CommandDescription(
    "strava.status", .get, "/v1/strava", level: .read,
    summary: "Connections by state, what is refreshed next, calls used, errors by class, and replies that were lost.",
    answer: .object([
      "states": .object(["connecting": .integer, "active": .integer, "needs_reauth": .integer, "revoked": .integer]),
      "needsReauth": .object(
        [:], optional: ["grant": .integer, "code": .integer, "taken": .integer, "lost-reply": .integer]),
      "toRevoke": .integer,
      "nextRefreshes": .array(.object(["athleteId": .integer, "at": .instant])),
      "budget": .object(["window15": .usage, "day": .usage]),
      "reads": .object([
        "budget": .object(["window15": .usage, "day": .usage]),
        "waiting": .object(["results": .integer, "claims": .integer, "strangers": .integer, "hints": .integer]),
        "shortAt": .nullable(.instant),
      ]),
      "breaker": .object([
        "state": .choice(["closed", "open"]), "since": .nullable(.instant), "class": .nullable(.text),
        "failuresInRow": .integer,
      ]),
      "errors": .object(
        [:],
        optional: [
          "unreachable": .integer, "lost": .integer, "unreadable": .integer, "server": .integer, "limit": .integer,
          "client": .integer, "refused": .integer, "interrupted": .integer, "read-unreachable": .integer,
          "read-lost": .integer, "read-unreadable": .integer, "read-server": .integer, "read-limit": .integer,
          "read-refused": .integer, "read-interrupted": .integer,
        ]),
      "lostReplies": .array(
        .object([
          "athleteId": .integer, "kind": .choice(["code", "refresh"]), "cause": .choice(["wire", "node"]),
          "at": .instant, "isLost": .boolean,
        ])),
      "lostRepliesTotal": .object(["wire": .integer, "node": .integer, "open": .integer]),
      "keyId": .nullable(.text), "sealedWithOldKeys": .integer,
    ]))

  package static let stravaRefresh = CommandDescription(
    "strava.refresh", .post, "/v1/strava/{id}/refresh", level: .operate,
    summary: "Refresh an athlete's token now; the answer does not wait for it.", parameters: [athlete],
    answer: .connection)

  package static let stravaDisconnect = CommandDescription(
    "strava.disconnect", .post, "/v1/strava/{id}/disconnect", level: .admin,
    summary: "Revoke an athlete's connection: here at once, at Strava as soon as it answers; then nothing is kept.",
    parameters: [athlete, .reason], answer: .connection)

  package static let stravaRotateKey = CommandDescription(
    "strava.rotate-key", .post, "/v1/strava/rotate-key", level: .admin,
    summary: """
      Let this node's token key seal from now on; what is sealed with others is sealed anew. Again: how far it is.
      """,
    answer: .object(["resealed": .integer, "left": .integer, "keyId": .text]))
}

extension AnswerSchema {
  fileprivate static let usage = AnswerSchema.object(["used": .integer, "limit": .integer])

  fileprivate static let connection = AnswerSchema.object([
    "athleteId": .integer, "status": .choice(["connecting", "active", "needs_reauth", "revoked"]),
    "expiresAt": .nullable(.instant),
  ])
}
