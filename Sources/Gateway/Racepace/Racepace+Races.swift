import ControlAPI
import Postgres

extension Racepace {
  private static let categories = [
    "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women",
    "masters_men",
  ]

  /// The end of a race and its id.
  private static let cursor = AnswerSchema.text.pattern("^[0-9a-f]{32}$").example("0006e2a6f1c7a0000000000000001267")

  static let races: [Route] = [
    Route(
      .get, "races", of: .racepace, access: .everybody,
      paging: Paging(.after, id: "cursor", idSchema: cursor, limitDefault: 200, limitMax: 500),
      query: [
        QueryParameter(
          "type", "the kind of score",
          schema: .choice(["top_speed", "furthest_distance", "fastest_1km", "fastest_5km"])),
        QueryParameter("duration", "how long races last", schema: .choice(["daily", "weekly", "monthly"])),
        QueryParameter("category", "who may enter", schema: .choice(categories)),
        QueryParameter(
          "status", "ended includes settled races",
          schema: .choice(["upcoming", "active", "ended", "settled", "cancelled"])),
      ],
      answer: .array(RacepaceSchema.race.with("cursor", .text)),
      summary: """
        Races by end time, earliest first; if status is omitted, only races that are upcoming, active, or ended but \
        not settled.
        """,
      action: .call { call throws(GatewayError) in
        """
        gateway.racepace_races(jsonb_strip_nulls(jsonb_build_object('type', \(call.text("type"))::text,
          'duration', \(call.text("duration"))::text, 'category', \(call.text("category"))::text,
          'status', \(call.text("status"))::text)), \(call.page?.cursor), \(fragment: call.limit))
        """
      }),
    Route(
      .get, "races/:id", of: .racepace, access: .everybody,
      refuses: [404: ["race"]],
      answer: RacepaceSchema.race, summary: "One race.",
      action: .call { call throws(GatewayError) in "gateway.racepace_race(\(try call.id("id", of: "race")))" }),
    Route(
      .get, "races/:id/leaderboard", of: .racepace, access: .everybody,
      refuses: [404: ["race"]],
      answer: RacepaceSchema.leaderboard,
      summary: "The top 100 in a race: live until the race is settled, then final.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_leaderboard(\(try call.id("id", of: "race")))"
      }),
    Route(
      .post, "races/:id/enter", of: .racepace, access: .identity(.athlete),
      refuses: [
        402: ["funds"],
        403: ["category", "not-connected", "not-proved", "own-race", "profile", "spectator"],
        404: ["athlete", "race"],
        409: ["already-entered", "cutoff", "erased", "status"],
      ],
      success: 201,
      answer: RacepaceSchema.entry, summary: "Enters the caller in the race and charges the entry fee.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_enter(\(try call.athlete()), \(try call.id("id", of: "race")))"
      }),
  ]
}
