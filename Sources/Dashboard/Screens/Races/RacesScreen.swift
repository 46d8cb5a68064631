import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let races = Screen(
    "races", title: "Races", key: "r", group: "Racing",
    parts: [.raceList, .raceHead, .raceMoney, .raceRanking, .raceJournals])
}

extension Part {
  private static let types = ["top_speed", "furthest_distance", "fastest_1km", "fastest_5km"]
  private static let categories = [
    "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women",
    "masters_men",
  ]

  private static func ask(_ state: PageState) -> Ask {
    var ask = Ask("race.list", ["limit": .integer(state.id == nil ? 100 : 12)])
    for name in ["status", "type", "category"] { ask.arguments[name] = state.filter(name).map(ParameterValue.text) }
    if state.id == nil { ask.arguments["after"] = state.filter("after").map(ParameterValue.text) }
    return ask
  }

  fileprivate static let raceList = Part("list", watches: ["race.*"]) { state in
    state.id == nil ? [ask(state)] : []
  } body: { state, replies in
    guard state.id == nil else { return HTML() }
    return replies.card("Races", ask(state), state) { answer in
      let columns: [PageTable.Column] = [
        .number("race"), .text("for"), .text("state"), .text("starts"), .text("ends"),
        .text("due"), .number("entries"), .number("fee"), .number("pool"), .text("settled or waiting"),
      ]
      let table = PageTable(label: "Races", columns: columns, rows: answer.rows.map { row(state, $0) }, isList: true)
      return CardContent(
        note: "newest first, times in \(state.zone.name)",
        [
          .tag(
            "div", "choices",
            [
              Filters.choice(state, ["races"], "status", ["upcoming", "active", "ended", "settled", "cancelled"]),
              Filters.choice(state, ["races"], "type", types), Filters.choice(state, ["races"], "category", categories),
            ]), table.html(orElse: "No races match."), Pager.html(state, ["races"], next: answer["next"]?.text),
        ])
    }
  }

  private static func row(_ state: PageState, _ race: JSONValue) -> [PageTable.Cell] {
    let id = race.shown("id")
    return [
      .html(.link(["races", id], text: id)),
      .text(
        "\(race.shown("duration")) \(ScoreText.typeName(race.shown("type"))), \(race.shown("category").shownAsWords)"),
      .html(StateText.html(race.shown("status"))),
      .html(state.brief(race.instant("startsAt")), "muted"), .html(state.brief(race.instant("endsAt"))),
      .html(state.brief(race.instant("dueAt"))), .text(race.count("entries")), .text(race.pounds("feePence")),
      .text(race.pounds("poolPence"), "strong"),
      .html(.joined([state.brief(race.instant("settledAt")), Waiting.html(race.object("waitingFor"), state)])),
    ]
  }
}
