import ControlAPI
import Markup
import Plots
import TextCoding

extension Part {
  static let raceHead = Part("race", width: .half, watches: ["race.*", "command.*"]) { state in
    [state.raceAsk, state.previewAsk].compactMap(\.self)
  } body: { state, replies in
    guard let ask = state.raceAsk, let id = state.raceId else { return Card.unnumbered("Race", state) }
    return replies.card("Race \(id)", ask, state) { race in
      CardContent(
        notes: .joined([
          .text("\(ScoreText.typeName(race.shown("type"))), \(race.shown("category").shownAsWords), "),
          .text("\(race.shown("duration")), "), .text(race.pounds("entryFeePence")),
        ]), right: StateText.html(race.shown("status")),
        [
          Facts.html([
            ("starts", state.exact(race.instant("startsAt"))), ("ends", state.exact(race.instant("endsAt"))),
            ("due", state.exact(race.instant("dueAt"))), ("created", state.exact(race.instant("createdAt"))),
            ("entries", .text(race.count("entryCount"))), ("fees", .text(race.pounds("grossPence"))),
            ("platform fee", .text(race.pounds("platformFeePence"))), ("pool", .text(race.pounds("prizePoolPence"))),
            ("waiting for", Waiting.html(race.object("waitingFor"), state)),
          ]), hold(race, state), order(race, state), changes(race, id, state, replies),
        ])
    }
  }

  private static func hold(_ race: JSONValue, _ state: PageState) -> HTML {
    guard let waiting = race.object("waitingFor"), let due = race.instant("dueAt"),
      let until = waiting.instant("until"),
      until > due
    else { return holdFacts(race, state) }
    let changes = TimelineView.changes(state, due, until)
    let length = Amount.duration(milliseconds: until.milliseconds - due.milliseconds)
    let plot = SpanPlot(
      label: "A wait of \(length), from the due time \(state.exactText(due)) until \(state.exactText(until)) "
        + "at the latest",
      span: due.milliseconds...until.milliseconds, now: state.now.milliseconds,
      texts: (
        "due \(state.exactText(due))", "\(length), \(waiting.shown("reason"))",
        "until \(state.exactText(until)) at the latest"
      ),
      changes: changes.map { ($0.at, String($0.text.prefix { $0 != ":" })) })
    return .joined([.tag("div", "pad", [plot.svg]), holdFacts(race, state)])
  }

  private static func holdFacts(_ race: JSONValue, _ state: PageState) -> HTML {
    guard let hold = race.object("hold"), hold.isTrue("waits") else { return HTML() }
    func ids(_ name: String, _ screen: String?) -> HTML {
      let all = hold.list(name).compactMap(\.integer)
      let links = all.prefix(10).map { id in
        screen.map { HTML.link([$0, String(id)], text: String(id)) } ?? .text(String(id))
      }
      return .joined(links, by: .text(", ")) + .text(all.count > 10 ? " and \(all.count - 10) more" : "")
    }
    return Facts.html([
      ("hold", StateText.html(hold.shown("reason"), "▲", .warn)), ("until", state.exact(hold.instant("until"))),
      ("under review", ids("activities", "reviews")), ("claims", ids("claims", nil)),
      ("athletes", ids("athletes", "athletes")), ("prizes held by reviews", ids("held", "reviews")),
      ("prizes held by claims", ids("heldClaims", nil)),
    ])
  }

  private static func order(_ race: JSONValue, _ state: PageState) -> HTML {
    guard let order = race.object("order") else { return HTML() }
    let refusal = order.shown("refusal")
    return Facts.html([
      ("order", .text("\(order.shown("id")): \(order.shown("kind"))" + (order.isTrue("override") ? ", override" : ""))),
      ("ordered", state.exact(order.instant("orderedAt"))), ("finished", state.exact(order.instant("finishedAt"))),
      ("refused", refusal.isEmpty ? HTML() : StateText.html("\(refusal.cut(200)) (\(order.shown("rule")))", "▲", .bad)),
    ])
  }

  private static func changes(
    _ race: JSONValue, _ id: Int64, _ state: PageState, _ replies: [Ask: Reply]
  ) -> HTML {
    guard !["settled", "cancelled"].contains(race.shown("status")) else { return HTML() }
    var dialogs: [HTML] = []
    let preview = state.previewAsk.flatMap { replies[$0]?.answer }
    if let preview, let hash = preview["inputHash"]?.text {
      var settle = ChangeDialog(
        .raceSettle, ["id": .integer(id), "expectHash": .text(hash)], id: "settle", label: "Settle")
      settle.tone = "good"
      settle.before = StateText.html(race.shown("status"))
      settle.after = RacePurse.payouts(preview, state)
      dialogs.append(settle.html(state))
    }
    var cancel = ChangeDialog(.raceCancel, ["id": .integer(id)], id: "cancel", label: "Cancel the race")
    cancel.tone = "bad"
    cancel.before = StateText.html(race.shown("status"))
    cancel.after = .text("Every fee is refunded in full: \(race.pounds("grossPence")). This cannot be undone.")
    dialogs.append(cancel.html(state))
    return dialogs.allSatisfy(\.isEmpty) ? HTML() : .tag("div", "act", dialogs)
  }

  static let raceRanking = Part("ranking", width: .twoThirds, watches: ["race.*", "activity.*"]) { state in
    state.raceAsk.map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = state.raceAsk, let id = state.raceId else { return HTML() }
    return replies.card("Leaderboard", ask, state) { race in
      let ranking = race.list("ranking")
      let type = race.shown("type")
      let count = race.whole("rankingCount") ?? Int64(ranking.count)
      let start = max(0, state.query["after"].flatMap { Int64($0) } ?? 0)
      let (end, overflow) = start.addingReportingOverflow(Int64(ranking.count))
      let next = !overflow && !ranking.isEmpty && end < count ? String(end) : nil
      return CardContent(
        note: "\(Amount.grouped(count)) entries",
        [
          .tag("div", "pad", [RaceField.strip(ranking, type: type).svg]),
          RaceField.table(ranking, type: type, state).html(orElse: "No athlete has entered."),
          Pager.html(state, ["races", String(id)], next: next),
        ])
    }
  }
}
