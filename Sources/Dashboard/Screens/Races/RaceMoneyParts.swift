import ControlAPI
import Markup
import TextCoding

extension Part {
  static let raceMoney = Part("money", width: .half, watches: ["race.*", "activity.*"]) { state in
    [state.raceAsk, state.previewAsk].compactMap(\.self)
  } body: { state, replies in
    guard let ask = state.raceAsk, let previewAsk = state.previewAsk else { return HTML() }
    return replies.card("Payouts", ask, state) { race in
      var content: [HTML] = []
      if let settlement = race.object("settlement") {
        content += settled(settlement, state)
      } else {
        content.append(replies.rendered(previewAsk, state) { preview in previewed(preview, state) })
        // Also in the preview, where there is one.
        if let split = race.object("split"), replies[previewAsk]?.answer == nil {
          content += [RacePurse.sums(split), RacePurse.payouts(split, state)]
        }
      }
      return CardContent(
        note: race.object("settlement") == nil ? "if settled now" : "as settled", content)
    }
  }

  private static func previewed(_ preview: JSONValue, _ state: PageState) -> HTML {
    .joined([
      RacePurse.sums(preview), RacePurse.payouts(preview, state),
      Facts.html([
        ("inputs", .tag("code", text: preview.shown("inputHash").cut(64))),
        ("waiting for", Waiting.html(preview.object("waitingFor"), state)),
      ]),
    ])
  }

  private static func settled(_ settlement: JSONValue, _ state: PageState) -> [HTML] {
    let revisions = settlement.list("revisions").map { row -> [PageTable.Cell] in
      [
        .text(row.shown("revision")), .html(state.exact(row.instant("at"))), .text(row.shown("reason")),
        .text(row.pounds("paidPence"), "strong"),
      ]
    }
    return [
      Facts.html([
        ("outcome", StateText.html(settlement.shown("outcome"))), ("revision", .text(settlement.shown("revision"))),
        ("settled", state.exact(settlement.instant("settledAt"))),
      ]), RacePurse.payouts(settlement, state), .tag("h3", text: "Revisions"),
      PageTable(
        label: "Revisions", columns: [.number("revision"), .text("at"), .text("reason"), .number("paid")],
        rows: revisions
      ).html(orElse: "This daemon does not list revisions."),
    ]
  }

  static let raceJournals = Part("journals", width: .third, watches: ["race.*"]) { state in
    state.raceJournalsAsk.map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = state.raceJournalsAsk, let id = state.raceId else { return HTML() }
    return replies.card("Journals", ask, state) { answer in
      CardContent(
        right: .link(["ledger"], query: [("race", String(id))], classes: "muted", text: "in the ledger"),
        [JournalTable.brief(answer.rows, state).html(orElse: "This race has no journals.")])
    }
  }
}
