import ControlAPI
import Markup
import TextCoding

extension Part {
  private static func ask(_ state: PageState) -> Ask? {
    guard let id = state.scheduleName else { return nil }
    var ask = Ask("occurrences", ["name": .text(id), "limit": .integer(50)])
    for name in ["status", "after"] { ask.arguments[name] = state.filter(name).map(ParameterValue.text) }
    return ask
  }

  static let scheduleOccurrences = Part("occurrences", watches: ["occurrence.*"]) { state in
    ask(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = ask(state), let id = state.scheduleName else { return HTML() }
    return replies.card("Occurrences", ask, state) { answer in
      let columns: [PageTable.Column] = [
        .number("id"), .text("tick"), .text("outcome"), .text("due"), .text("planned"), .text("started"),
        .text("finished"), .number("took"), .number("rows"), .text("node"), .text("reason"),
      ]
      let next = answer.rows.count == 50 ? answer.rows.last?["cursor"]?.text : nil
      let statuses = ["planned", "running", "ran", "skipped", "coalesced", "failed"]
      return CardContent(
        note: "newest first",
        [
          .tag("div", "choices", [Filters.choice(state, ["schedules", id], "status", statuses)]),
          PageTable(label: "Occurrences", columns: columns, rows: answer.rows.map { row(state, $0) })
            .html(orElse: "There are no occurrences."),
          OutcomeText.legend, Pager.html(state, ["schedules", id], next: next),
        ])
    }
  }

  private static func row(_ state: PageState, _ row: JSONValue) -> [PageTable.Cell] {
    let (start, end) = (row.instant("startedAt"), row.instant("finishedAt"))
    let took = start.flatMap { start in end.map { Amount.duration(milliseconds: $0.milliseconds - start.milliseconds) }
    }
    return [
      .text(row.shown("id"), "muted"), .html(state.exact(row.instant("instant"))),
      .html(.joined([OutcomeText.html(row.shown("status")), .text(row.isTrue("backfilled") ? " backfilled" : "")])),
      .html(state.precise(row.instant("dueAt")), "muted"), .html(state.precise(row.instant("plannedAt")), "muted"),
      .html(state.precise(start), "muted"), .html(state.precise(end), "muted"), .text(took ?? ""),
      .text(row.count("rows")), .name(row.shown("node").cut(40)), .name(row.shown("reason"), "muted"),
    ]
  }

  private static func backfillAsk(_ state: PageState) -> Ask? {
    guard let id = state.scheduleName, let from = state.filter("from"), let to = state.filter("to") else { return nil }
    return Ask("schedule.backfill.preview", ["name": .text(id), "from": .text(from), "to": .text(to)])
  }

  static let scheduleBackfill = Part("backfill", width: .half, isOnDemand: true) { state in
    backfillAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let id = state.scheduleName else { return HTML() }
    let form = Card.body([
      Filters.fields(state, [("from", "From (instant)"), ("to", "Before (instant)")])
    ])
    guard let ask = backfillAsk(state), let from = state.filter("from"), let to = state.filter("to") else {
      return Card.html("Backfill", note: "dry run: past ticks that have no occurrence", [form])
    }
    return replies.card("Backfill", ask, state) { answer in
      var run = ChangeDialog(
        .scheduleBackfill, ["name": .text(id), "from": .text(from), "to": .text(to)], id: "backfill",
        label: "Run these ticks")
      run.before = .text("These ticks have no occurrence.")
      run.after = .text("\(answer.rows.count) ticks will be planned and run.")
      let rows = answer.rows.prefix(100).map { row -> [PageTable.Cell] in
        [.html(state.exact(row.instant("instant"))), .html(StateText.html(row.shown("status")))]
      }
      return CardContent(
        note: "\(answer.rows.count) ticks have no occurrence",
        [
          form,
          PageTable(label: "Ticks", columns: [.text("tick"), .text("new status")], rows: Array(rows)).html(
            orElse: "No ticks are missing."),
          answer.rows.isEmpty ? HTML() : .tag("div", "act", [run.html(state)]),
        ])
    }
  }

  private static func auditAsk(_ state: PageState) -> Ask? {
    guard let id = state.scheduleName, state.filter("audit") != nil else { return nil }
    return Ask("audit.schedule", ["schedule": .text(id)])
  }

  static let scheduleAudit = Part("audit", width: .half, isOnDemand: true) { state in
    auditAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let id = state.scheduleName else { return HTML() }
    guard let ask = auditAsk(state) else {
      let link = HTML.link(["schedules", id], query: [("audit", "1")], classes: "btn", text: "Audit ticks")
      return Card.html("Audit", note: "checks, on request, that every tick has an occurrence", [Card.body([link])])
    }
    return replies.card("Audit", ask, state) { answer in
      let (gaps, doubles) = (answer.whole("gapCount") ?? 0, answer.whole("doubleCount") ?? 0)
      let isRight = gaps == 0 && doubles == 0
      let rows = [("gap", "gaps"), ("duplicate", "doubles")].flatMap { word, name in
        answer.list(name).prefix(50).map { tick -> [PageTable.Cell] in
          [
            .html(StateText.html(word, "▲", .bad)), .html(state.exact(tick.instant("instant"))),
            .name(tick.shown("schedule")),
          ]
        }
      }
      return CardContent([
        .tag(
          "p", isRight ? "body good" : "body bad",
          [
            .sign(isRight ? "✓" : "▲"),
            .text(
              " \(answer.count("occurrences")) occurrences, \(Amount.counted(gaps, "gap", "gaps")), "
                + Amount.counted(doubles, "duplicate", "duplicates")),
          ]),
        rows.isEmpty
          ? HTML()
          : PageTable(label: "Findings", columns: [.text("what"), .text("tick"), .text("schedule")], rows: rows).html,
      ])
    }
  }
}
