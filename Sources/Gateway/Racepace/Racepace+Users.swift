import ControlAPI
import Postgres

extension Racepace {
  private static let connection = AnswerSchema.object([
    "code": .someWords.meaning("the provider's authorization code").example("7d1f0b"),
    "scope": .words.example("read,activity:read_all"),
  ]).closed

  static let users: [Route] = [
    Route(
      .get, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"),
      refuses: [404: ["athlete"]],
      answer: RacepaceSchema.user,
      summary: "The caller's profile, wallet and connection.",
      action: .call { call throws(GatewayError) in "gateway.racepace_user(\(try call.athlete()))" }),
    Route(
      .put, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"), body: RacepaceSchema.userChanges,
      refuses: [404: ["athlete"], 409: ["erased", "profile-frozen"]],
      answer: RacepaceSchema.user,
      summary: "Changes displayName, dateOfBirth, gender and userType; other members are ignored.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_update_user(\(try call.athlete()), \(fragment: call.json))"
      }),
    Route(
      .put, "users/:id/strava", of: .racepace, access: .own(.athlete, parameter: "id"),
      body: .nullable(connection),
      refuses: [403: ["spectator"], 404: ["athlete"], 409: ["erased"], 429: ["quota"]],
      success: 201,
      otherSuccess: OtherSuccess(status: 200) { $0.body?.contains("{") != true }, answer: RacepaceSchema.user,
      summary: "Connects the caller with an authorization code; a null body disconnects the caller.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_update_strava(\(try call.athlete()), \(fragment: call.json))"
      }),
    Route(
      .get, "users/:id/entries", of: .racepace, access: .own(.athlete, parameter: "id"), paging: Paging(.before),
      refuses: [404: ["athlete"]],
      answer: .array(RacepaceSchema.entry), summary: "The caller's entries, newest first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_entries(\(try call.athlete()), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .get, "entries/:id", of: .racepace, access: .identity(.athlete),
      refuses: [403: ["self"], 404: ["entry"]],
      answer: RacepaceSchema.entry,
      summary: "One of the caller's entries.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_entry(\(try call.athlete()), \(try call.id("id", of: "entry")))"
      }),
  ]
}
