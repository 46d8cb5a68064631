import ControlAPI
import Postgres

/// The routes of GRead's achievements, in both versions. Source: Gateway.docc/Systems.md, "Achievements".
///
/// Both answer alike, but for hidden achievements in lists: version 1 leaves them out, version 2 masks them.
enum GRead {
  static let routes: [Route] = [
    Route(
      .get, "achievements", of: .gread, access: .everybody, query: [category],
      answer: .array(GReadSchema.achievement), summary: "The achievement catalogue, with the caller's progress.",
      action: .call { call in
        "gateway.gread_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.query["category"]))"
      }),
    Route(
      .get, "achievements/stats", of: .gread, access: .everybody, answer: GReadSchema.statistics,
      summary: "How often each achievement has been unlocked.", action: .call { _ in "gateway.gread_stats()" }),
    Route(
      .get, "achievements/leaderboard", of: .gread, access: .everybody,
      paging: Paging(.offset, id: "user_id", limitDefault: 10),
      answer: .array(GReadSchema.leader), summary: "The users with the most unlocked achievements.",
      action: .call { call in
        "gateway.gread_leaderboard(\(fragment: call.limit), \(call.page?.id ?? 0)::integer)"
      }),
    Route(
      .get, "achievements/slug/:slug", of: .gread, access: .everybody,
      refuses: [404: ["achievement"]],
      answer: GReadSchema.achievement,
      summary: "One achievement, by its slug.",
      action: .call { call in "gateway.gread_achievement_by_slug(\(call.caller?.reader), \(call["slug"]))" }),
    Route(
      .get, "achievements/:id", of: .gread, access: .everybody,
      refuses: [404: ["achievement"]],
      answer: GReadSchema.achievement,
      summary: "One achievement.",
      action: .call { call in "gateway.gread_achievement(\(call.caller?.reader), \(call.anyID("id")))" }),
    Route(
      .get, "user/:id/achievements", of: .gread, access: .everybody, query: [filter, category],
      refuses: [404: ["user"]],
      answer: GReadSchema.ofPerson, summary: "A person's achievements.",
      action: .call { call in
        """
        gateway.gread_user_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.anyID("id")),
          \(call.query["category"]), \(call.query["filter"]))
        """
      }),
    Route(
      .get, "me/achievements", of: .gread, access: .token, query: [filter, category],
      refuses: [403: ["identity"], 404: ["user"]],
      answer: GReadSchema.ofPerson,
      summary: "The caller's achievements.",
      action: .call { call in
        """
        gateway.gread_own_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.query["category"]),
          \(call.query["filter"]))
        """
      }),
    Route(
      .post, "me/achievements/check", of: .gread, access: .token,
      refuses: [403: ["identity"], 404: ["user"]],
      answer: GReadSchema.checked,
      summary: "Checks for achievements that the caller has newly reached, and returns them.",
      action: .call { call in "gateway.gread_check(\(fragment: version(call)), \(call.caller?.reader))" }),
  ]

  private static let category = QueryParameter(
    "category", "only achievements in this category",
    schema: .choice(["authors", "books_and_series", "categories", "contributions", "career"]))
  private static let filter = QueryParameter(
    "filter", "which achievements to return (default: all)", schema: .choice(["all", "unlocked", "locked"]))

  private static func version(_ call: Call) -> Statement { call.prefix.hasSuffix("/v1") ? "1" : "2" }
}
