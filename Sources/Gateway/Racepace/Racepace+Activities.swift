import ControlAPI
import Postgres

extension Racepace {
  static let activities: [Route] = [
    Route(
      .get, "activities", of: .racepace, access: .everybody, paging: page,
      answer: .array(RacepaceSchema.activity),
      summary: "Everybody's verified activities, newest first; places of others to a hundredth of a degree.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_activities(\(call.caller?.athlete), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .get, "users/:id/activities", of: .racepace, access: .own(.athlete, parameter: "id"), paging: page,
      answer: .array(RacepaceSchema.activity), summary: "One's own activities, newest first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_own_activities(\(try call.athlete()), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .post, "activities", of: .racepace, access: .identity(.athlete), body: RacepaceSchema.newActivity,
      bodyLimit: .activity, success: 201, answer: RacepaceSchema.activity,
      summary: "Imports an activity of the caller, once by its Strava id.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_import(\(try call.athlete()), \(fragment: call.json))"
      }),
    Route(
      .post, "activities/:id/flag", of: .racepace, access: .identity(.athlete),
      body: .object(["reason": .text], optional: ["notes": .nullable(.text)]), success: 201,
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
      answer: .array(RacepaceSchema.flaggedActivity), summary: "Flagged activities, the most urgent first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_flagged(\(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .post, "moderation/review", of: .racepace, access: .role(.moderator),
      body: .object(
        ["activityId": .text, "decision": .choice(["approve", "disqualify", "requireMoreInfo"])],
        optional: ["notes": .nullable(.text)]),
      answer: RacepaceSchema.review, summary: "Decides on a flagged activity.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_review(\(fragment: reviewer(call.caller)), \(fragment: call.json))"
      }),
  ]

  /// Its activities may have long tracks.
  private static let page = Paging(.before, wholePageBytesMax: 4_194_304)

  /// The account's number, so that no decision holds a name; without an account, the name that the token has.
  private static func reviewer(_ caller: Caller?) -> Statement {
    if let account = caller?.account { return "\("account \(account)")" }
    return "\(caller?.username ?? caller?.identity ?? "")"
  }
}
