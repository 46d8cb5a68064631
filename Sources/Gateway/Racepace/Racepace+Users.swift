import ControlAPI
import Postgres

extension Racepace {
  static let users: [Route] = [
    Route(
      .get, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"), answer: RacepaceSchema.user,
      summary: "One's own profile, wallet and connection.",
      action: .call { call throws(GatewayError) in "gateway.racepace_user(\(try call.athlete()))" }),
    Route(
      .put, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"), body: RacepaceSchema.userChanges,
      answer: RacepaceSchema.user,
      summary: "Changes displayName, dateOfBirth, gender and userType, and ignores other members.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_update_user(\(try call.athlete()), \(fragment: call.json))"
      }),
    Route(
      .put, "users/:id/strava", of: .racepace, access: .own(.athlete, parameter: "id"),
      body: .nullable(.object(["code": .text, "scope": .text])), success: 201,
      otherSuccess: OtherSuccess(status: 200) { $0.body?.contains("{") != true }, answer: RacepaceSchema.user,
      summary: "Connects with an authorization code, or ends the connection with null.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_update_strava(\(try call.athlete()), \(fragment: call.json))"
      }),
    Route(
      .get, "users/:id/entries", of: .racepace, access: .own(.athlete, parameter: "id"), paging: Paging(.before),
      answer: .array(RacepaceSchema.entry), summary: "One's own entries, newest first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_entries(\(try call.athlete()), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .get, "entries/:id", of: .racepace, access: .identity(.athlete), answer: RacepaceSchema.entry,
      summary: "One of one's own entries.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_entry(\(try call.athlete()), \(try call.id("id", of: "entry")))"
      }),
  ]
}
