import ControlAPI
import HTTPServing
import Postgres

/// The routes of the team's guides: seasonal points and rewards, and team talks. Source: Gateway.docc/Systems.md,
/// "Team".
///
/// SQL decides who is a coach, from the caller's username.
enum Team {
  static let routes = points + talks

  private static let period = [
    QueryParameter("season", "the season within the year", isRequired: true, schema: .season),
    QueryParameter("year", "the year in which the season begins", isRequired: true, schema: .yearText),
  ]

  static let points: [Route] = [
    Route(
      .get, "points/seasonal/progress", of: .seasons, access: .everybody, query: period,
      answer: TeamSchema.progress, summary: "The team's progress toward each of a season's rewards.",
      action: .call { call in "gateway.team_progress(\(call.query["season"]), \(call.query["year"]))" }),
    Route(
      .get, "points/seasonal/rewards", of: .seasons, access: .everybody, query: period,
      answer: .array(TeamSchema.rewardShown), summary: "A season's rewards.",
      action: .call { call in "gateway.team_rewards(\(call.query["season"]), \(call.query["year"]))" }),
    Route(
      .get, "points/seasonal/:runnerId", of: .seasons, access: .everybody, query: period,
      refuses: [404: ["runner"]],
      answer: TeamSchema.runnerPoints, summary: "A runner's points in a season.",
      action: .call { call in
        """
        gateway.team_runner_points(\(call.anyID("runnerId")), \(call.query["season"]), \(call.query["year"]))
        """
      }),
    Route(
      .get, "points/leaderboard", of: .seasons, access: .everybody, paging: Paging(.offset, id: "runnerId"),
      query: [
        QueryParameter("season", "only points earned in this season; requires year", schema: .season),
        QueryParameter("year", "the year in which the season begins; requires season", schema: .yearText),
      ],
      answer: .array(TeamSchema.place),
      summary: "Runners ranked by their total points, or by their points in one season.",
      action: .call { call in
        """
        gateway.team_leaderboard(\(call.text("season")), \(call.text("year")), \(fragment: call.limit),
          \(call.page?.id ?? 0)::integer)
        """
      }),
    Route(
      .post, "points/seasonal/rewards", of: .seasons, access: .token,
      body: .object(
        [
          "season": .season, "year": .year, "description": TeamSchema.description,
          "pointThreshold": TeamSchema.threshold, "displayOrder": TeamSchema.order,
        ],
        optional: ["createdBy": .nullable(.text)]
      ).closed,
      refuses: [403: ["coach", "identity"]],
      answer: TeamSchema.reward, summary: "Creates a reward; coaches only.",
      action: .call { call in "gateway.team_create_reward(\(call.caller?.username), \(fragment: call.json))" }),
    Route(
      .put, "points/seasonal/rewards/:id", of: .seasons, access: .token,
      body: .object(
        [:],
        optional: [
          "description": .nullable(TeamSchema.description), "pointThreshold": .nullable(TeamSchema.threshold),
          "displayOrder": .nullable(TeamSchema.order),
        ]
      ).closed,
      refuses: [403: ["coach", "identity"], 404: ["reward"]],
      answer: TeamSchema.reward, summary: "Changes a reward; coaches only.",
      action: .call { call in
        "gateway.team_update_reward(\(call.caller?.username), \(call.anyID("id")), \(fragment: call.json))"
      }),
    Route(
      .delete, "points/seasonal/rewards/:id", of: .seasons, access: .token,
      refuses: [403: ["coach", "identity"], 404: ["reward"]],
      answer: nil,
      summary: "Deletes a reward; coaches only.",
      action: .call { call in "gateway.team_delete_reward(\(call.caller?.username), \(call.anyID("id")))" }),
    Route(
      .post, "points/earn", of: .seasons, access: .token,
      body: .object(
        ["activityType": .choice(TeamSchema.activityTypes)],
        optional: [
          "runnerId": .nullable(.integer.range(1 ... .max).example(json: "4711")),
          "activityUuid": .nullable(.someWords.meaning("any id").example("7b6f0c5e-3f1d-4c53-9a51-0a4f3a0b8d11")),
          "season": .nullable(.season), "year": .nullable(.year),
          "description": .nullable(.words.example("Hills")),
        ]
      ).closed,
      refuses: [403: ["identity"], 404: ["runner"], 429: ["quota"]],
      answer: TeamSchema.earned, summary: "Records earned points for the caller; a coach may specify another runner.",
      action: .call { call in
        "gateway.team_earn(\(call.caller?.username), \(call.caller?.runner), \(fragment: call.json))"
      }),
  ]
}

extension Call {
  /// A parameter of the path that is an id; the id of nothing where it is none.
  func anyID(_ parameter: String) -> Int64 {
    let text = self[parameter]
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return Int64(text) ?? 0
  }
}
