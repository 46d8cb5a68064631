import ControlAPI
import Postgres

extension Team {
  static let talks: [Route] = [
    Route(
      .post, "team-talks/views/track", of: .talks, access: .token,
      body: .object(
        ["teamTalkUuid": .uuidText, "displayName": .shownName.length(1...100)],
        optional: [
          "username": .nullable(.words.meaning("the caller's own username; can be omitted").example("ann")),
          "team": .nullable(.team),
        ]
      ).closed,
      refuses: [403: ["identity"], 404: ["team-talk", "user"]],
      answer: nil, summary: "Records that the caller has read a talk.",
      action: .call { call in "gateway.team_track_view(\(call.caller?.username), \(fragment: call.json))" }),
    Route(
      .get, "team-talks/season", of: .talks, access: .everybody, paging: page,
      query: [
        QueryParameter("season", "the season within the year", schema: .season),
        QueryParameter("year", "the year in which the season begins", schema: .yearText),
        QueryParameter("team", "only talks for this team", schema: .team),
      ],
      refuses: [404: ["team-talk"]],
      answer: TeamSchema.talks, summary: "A season's talks, newest first.",
      action: .call { call in
        """
        gateway.team_season_talks(\(call.caller?.username), \(call.query["season"]), \(call.query["year"]),
          \(call.query["team"]), \(call.page?.cursor), \(fragment: call.limit))
        """
      }),
    Route(
      .get, "team-talks/all", of: .talks, access: .everybody, paging: page,
      refuses: [404: ["team-talk"]],
      answer: TeamSchema.talks,
      summary: "All talks, newest first.",
      action: .call { call in
        "gateway.team_all_talks(\(call.caller?.username), \(call.page?.cursor), \(fragment: call.limit))"
      }),
    Route(
      .get, "team-talks/:uuid", of: .talks, access: .everybody,
      refuses: [404: ["team-talk"]],
      answer: TeamSchema.talk,
      summary: "One talk, with a summary of its views for coaches.",
      action: .call { call in "gateway.team_talk(\(call.caller?.username), \(call["uuid"]))" }),
  ]

  private static let page = Paging(.before, list: "teamTalks", id: "teamTalk.uuid", idSchema: .uuidText)
}
