import ControlAPI
import Postgres

extension Racepace {
  static let races: [Route] = [
    Route(
      .get, "races", of: .racepace, access: .everybody,
      paging: Paging(.after, id: "cursor", isNumber: false, limitDefault: 200, limitMax: 500),
      query: [
        QueryParameter("type", "top_speed, furthest_distance, fastest_1km or fastest_5km"),
        QueryParameter("duration", "daily, weekly or monthly"),
        QueryParameter("category", "such as senior_women"),
        QueryParameter("status", "upcoming, active, ended (settled ones too), settled or cancelled"),
      ],
      answer: .array(RacepaceSchema.race.with("cursor", .text)),
      summary: """
        Races, those that end first first; without a status those that are upcoming, active, or ended and not settled.
        """,
      action: .call { call throws(GatewayError) in
        """
        gateway.racepace_races(jsonb_strip_nulls(jsonb_build_object('type', \(call.text("type"))::text,
          'duration', \(call.text("duration"))::text, 'category', \(call.text("category"))::text,
          'status', \(call.text("status"))::text)), \(call.page?.cursor), \(fragment: call.limit))
        """
      }),
    Route(
      .get, "races/:id", of: .racepace, access: .everybody, answer: RacepaceSchema.race, summary: "One race.",
      action: .call { call throws(GatewayError) in "gateway.racepace_race(\(try call.id("id", of: "race")))" }),
    Route(
      .get, "races/:id/leaderboard", of: .racepace, access: .everybody, answer: RacepaceSchema.leaderboard,
      summary: "The best 100 of a race, live and then final.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_leaderboard(\(try call.id("id", of: "race")))"
      }),
    Route(
      .post, "races/:id/enter", of: .racepace, access: .identity(.athlete), success: 201,
      answer: RacepaceSchema.entry, summary: "Enters the caller, and takes the fee from their wallet.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_enter(\(try call.athlete()), \(try call.id("id", of: "race")))"
      }),
  ]
}
