import ControlAPI
import Postgres

extension Racepace {
  static let activities: [Route] = [
    Route(
      .get, "activities", of: .racepace, access: .everybody, paging: page,
      answer: .array(RacepaceSchema.activity),
      summary:
        "Public verified activities, newest first; other athletes' locations are rounded to 0.01 degrees.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_activities(\(call.caller?.athlete), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .get, "users/:id/activities", of: .racepace, access: .own(.athlete, parameter: "id"), paging: page,
      refuses: [404: ["athlete"]],
      answer: .array(RacepaceSchema.activity), summary: "The caller's activities, newest first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_own_activities(\(try call.athlete()), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .post, "activities", of: .racepace, access: .identity(.athlete), body: RacepaceSchema.newActivity,
      bodyLimit: .activity,
      refuses: [
        403: ["not-connected", "self", "spectator"], 404: ["athlete"], 409: ["erased", "frozen", "strava-id"],
        429: ["quota"],
      ],
      success: 201, answer: RacepaceSchema.activity,
      summary: "Imports or claims one of the caller's activities, once per Strava id.",
      action: .call { call throws(GatewayError) in
        """
        gateway.racepace_import(\(try call.athlete()), \(fragment: call.json), \(Int64(call.body?.utf8.count ?? 0))::integer)
        """
      }),
    Route(
      .post, "activities/:id/flag", of: .racepace, access: .identity(.athlete),
      body: .object(["reason": reason], optional: ["notes": .nullable(notes)]).closed,
      refuses: [
        403: ["own-activity"], 404: ["activity", "athlete"], 409: ["already-flagged", "erased", "status", "window"],
      ],
      success: 201,
      answer: RacepaceSchema.flagged, summary: "Flags an activity.", limit: .flags,
      action: .call { call throws(GatewayError) in
        """
        gateway.racepace_flag(\(try call.athlete()), \(try call.id("id", of: "activity")), \(fragment: call.json))
        """
      }),
  ]

  static let moderation: [Route] = [
    Route(
      .get, "moderation/flagged", of: .racepace, access: .role(.moderator), paging: Paging(.after),
      refuses: [404: ["activity"], 409: ["status"]],
      answer: .array(RacepaceSchema.flaggedActivity),
      summary: "Flagged activities and activities under review, most urgent first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_flagged(\(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .post, "moderation/review", of: .racepace, access: .role(.moderator),
      body: .object(
        ["activityId": .idText, "decision": .choice(["approve", "disqualify", "requireMoreInfo"])],
        optional: ["notes": .nullable(notes)]
      ).closed,
      refuses: [403: ["own-race"], 404: ["activity"], 409: ["decided", "status", "window"]],
      answer: RacepaceSchema.review,
      summary: "Approves or disqualifies a flagged activity, or requests more information.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_review(\(fragment: reviewer(call.caller)), \(fragment: call.json), \(call.caller?.athlete))"
      }),
  ]

  /// In snake_case or camelCase.
  private static let reason = AnswerSchema.choice([
    "suspicious_speed", "motorized_assistance", "impossible_route", "fake_activity", "other",
    "suspiciousSpeed", "motorizedAssistance", "impossibleRoute", "fakeActivity",
  ])

  private static let notes = AnswerSchema.words.example("The speed rose in a tunnel.")

  /// Its activities may have long tracks.
  private static let page = Paging(.before, wholePageBytesMax: 4_194_304)

  /// The account's number, so that no decision holds a name; without an account, the name that the token has.
  private static func reviewer(_ caller: Caller?) -> Statement {
    if let account = caller?.account { return "\("account \(account)")" }
    return "\(caller?.username ?? caller?.identity ?? "")"
  }
}
