import ControlAPI
import Postgres

extension Team {
  static let talks: [Route] = [
    Route(
      .post, "team-talks/views/track", of: .talks, access: .token,
      body: .object(
        ["teamTalkUuid": .text, "displayName": .text],
        optional: ["username": .nullable(.text), "team": .nullable(.text)]),
      answer: nil, summary: "The caller has read a talk.",
      action: .call { call in "gateway.team_track_view(\(call.caller?.username), \(fragment: call.json))" }),
    Route(
      .get, "team-talks/season", of: .talks, access: .everybody, paging: page,
      query: [
        QueryParameter("season", "xc or track"), QueryParameter("year", "such as 2025"),
        QueryParameter("team", "UA or NU"),
      ],
      answer: TeamSchema.talks, summary: "The talks of a season, newest first.",
      action: .call { call in
        """
        gateway.team_season_talks(\(call.caller?.username), \(call.query["season"]), \(call.query["year"]),
          \(call.query["team"]), \(call.page?.cursor), \(fragment: call.limit))
        """
      }),
    Route(
      .get, "team-talks/all", of: .talks, access: .everybody, paging: page, answer: TeamSchema.talks,
      summary: "All talks, newest first.",
      action: .call { call in
        "gateway.team_all_talks(\(call.caller?.username), \(call.page?.cursor), \(fragment: call.limit))"
      }),
    Route(
      .get, "team-talks/:uuid", of: .talks, access: .everybody, answer: TeamSchema.talk,
      summary: "One talk, with a summary of its views for coaches.",
      action: .call { call in "gateway.team_talk(\(call.caller?.username), \(call["uuid"]))" }),
  ]

  private static let page = Paging(.before, list: "teamTalks", id: "teamTalk.uuid", isNumber: false)
}
