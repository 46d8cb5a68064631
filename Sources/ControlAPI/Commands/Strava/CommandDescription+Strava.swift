extension CommandDescription {
  static let stravaSystem = [
    stravaStatus, stravaRefresh, stravaDisconnect, stravaRotateKey, stravaSubscribe, stravaUnsubscribe,
  ]

  private static let athlete = CommandParameter.required("id", .integer, "The athlete's id.")

  package static let stravaStatus = CommandDescription(
    "strava.status", .get, "/v1/strava", level: .read, weight: .heavy,
    summary: """
      Show connections by state, next refreshes, calls used, errors by class, lost replies, and the webhook \
      subscription.
      """,
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
      "keyId": .nullable(.text), "sealedWithOldKeys": .integer, "subscription": .nullable(.subscription),
      "demand": .object(["tokens": .demand, "reads": .demand]),
      "windows": .array(
        .object([
          "budget": .choice(["tokens", "reads"]), "startsAt": .instant, "seconds": .integer, "used": .integer,
          "limit": .integer,
        ])),
      "refreshesByHour": .array(.object(["hour": .instant, "count": .integer])),
    ]))

  package static let stravaRefresh = CommandDescription(
    "strava.refresh", .post, "/v1/strava/{id}/refresh", level: .operate,
    summary: "Refresh an athlete's token now; returns without waiting.", parameters: [athlete],
    answer: .connection)

  package static let stravaDisconnect = CommandDescription(
    "strava.disconnect", .post, "/v1/strava/{id}/disconnect", level: .admin,
    summary: "Revoke an athlete's connection locally now, and at Strava once Strava responds; then delete it.",
    parameters: [athlete, .reason], answer: .connection)

  package static let stravaRotateKey = CommandDescription(
    "strava.rotate-key", .post, "/v1/strava/rotate-key", level: .admin,
    summary: """
      Start sealing with this node's token key, and reseal tokens sealed with other keys. Run the command again to \
      see the progress.
      """,
    answer: .object(["resealed": .integer, "left": .integer, "keyId": .text]))

  package static let stravaSubscribe = CommandDescription(
    "strava.subscribe", .post, "/v1/strava/subscribe", level: .admin,
    summary:
      "Subscribe to Strava's webhooks: Strava validates the callback at a gateway, then sends change hints there.",
    parameters: [
      .required(
        "callback", .text, "The base URL at which Strava reaches a gateway, such as https://api.example.org.",
        value: "url")
    ],
    answer: .subscribed)

  package static let stravaUnsubscribe = CommandDescription(
    "strava.unsubscribe", .post, "/v1/strava/unsubscribe", level: .admin,
    summary: "Cancel the webhook subscription at Strava.",
    parameters: [
      .optional("id", .integer, "Strava's id for a subscription that another installation created with this client id.")
    ],
    answer: .subscribed)
}

extension AnswerSchema {
  /// Calls a day.
  fileprivate static let demand = AnswerSchema.object(["needed": .integer, "allowed": .integer])

  fileprivate static let usage = AnswerSchema.object(["used": .integer, "limit": .integer])

  fileprivate static let subscription = AnswerSchema.object([
    "state": .choice(["asked", "active"]), "id": .nullable(.integer), "callback": .text, "askedAt": .instant,
    "confirmedAt": .nullable(.instant), "hints": .integer, "lastHintAt": .nullable(.instant),
  ])

  fileprivate static let subscribed = AnswerSchema.object(["subscription": .nullable(.subscription)])

  fileprivate static let connection = AnswerSchema.object([
    "athleteId": .integer, "status": .choice(["connecting", "active", "needs_reauth", "revoked"]),
    "expiresAt": .nullable(.instant),
  ])
}
