import ControlAPI
import Postgres

/// The routes of GRead's achievements, in both versions. Source: gateway.md, GRead.
///
/// Both answer alike, but for hidden achievements in lists: version 1 leaves them out, version 2 masks them.
enum GRead {
  static let routes: [Route] = [
    Route(
      .get, "achievements", of: .gread, access: .everybody, query: [category],
      answer: .array(GReadSchema.achievement), summary: "The catalogue, with the caller's progress.",
      action: .call { call in
        "gateway.gread_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.query["category"]))"
      }),
    Route(
      .get, "achievements/stats", of: .gread, access: .everybody, answer: GReadSchema.statistics,
      summary: "How often achievements are unlocked.", action: .call { _ in "gateway.gread_stats()" }),
    Route(
      .get, "achievements/leaderboard", of: .gread, access: .everybody,
      query: [
        QueryParameter("limit", "how many; default 10", integer: 1...100),
        QueryParameter("offset", "how many are left out", integer: 0...2_147_483_647),
      ],
      answer: .array(GReadSchema.leader), summary: "Who has unlocked most.",
      action: .call { call throws(GatewayError) in
        """
        gateway.gread_leaderboard(\(try call.integer32("limit") ?? 10)::integer,
          \(try call.integer32("offset") ?? 0)::integer)
        """
      }),
    Route(
      .get, "achievements/slug/:slug", of: .gread, access: .everybody, answer: GReadSchema.achievement,
      summary: "One achievement, by its slug.",
      action: .call { call in "gateway.gread_achievement_by_slug(\(call.caller?.reader), \(call["slug"]))" }),
    Route(
      .get, "achievements/:id", of: .gread, access: .everybody, answer: GReadSchema.achievement,
      summary: "One achievement.",
      action: .call { call in "gateway.gread_achievement(\(call.caller?.reader), \(call.anyID("id")))" }),
    Route(
      .get, "user/:id/achievements", of: .gread, access: .everybody, query: [filter, category],
      answer: GReadSchema.ofPerson, summary: "A person's achievements.",
      action: .call { call in
        """
        gateway.gread_user_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.anyID("id")),
          \(call.query["category"]), \(call.query["filter"]))
        """
      }),
    Route(
      .get, "me/achievements", of: .gread, access: .token, query: [filter, category], answer: GReadSchema.ofPerson,
      summary: "The caller's achievements.",
      action: .call { call in
        """
        gateway.gread_own_achievements(\(fragment: version(call)), \(call.caller?.reader), \(call.query["category"]),
          \(call.query["filter"]))
        """
      }),
    Route(
      .post, "me/achievements/check", of: .gread, access: .token, answer: GReadSchema.checked,
      summary: "Looks whether the caller has reached more, and says what.",
      action: .call { call in "gateway.gread_check(\(fragment: version(call)), \(call.caller?.reader))" }),
  ]

  private static let category = QueryParameter("category", "only those of one category")
  private static let filter = QueryParameter("filter", "all, unlocked or locked")

  private static func version(_ call: Call) -> Statement { call.prefix.hasSuffix("/v1") ? "1" : "2" }
}

extension Call {
  /// A number of the query that fits an SQL integer.
  func integer32(_ name: String) throws(GatewayError) -> Int64? {
    guard let number = try integer(name) else { return nil }
    guard Int32(exactly: number) != nil else { throw .parameter(name, "is too large") }
    return number
  }
}
