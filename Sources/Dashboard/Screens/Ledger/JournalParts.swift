import ControlAPI
import Markup
import TextCoding

extension Part {
  private static func ask(_ state: PageState) -> Ask {
    var ask = Ask("ledger.journals", ["limit": .integer(50)])
    for name in ["kind", "after"] { ask.arguments[name] = state.filter(name).map(ParameterValue.text) }
    for name in ["race", "athlete"] {
      ask.arguments[name] = state.filter(name).flatMap { Int64($0) }.map(ParameterValue.integer)
    }
    return ask
  }

  static let ledgerJournals = Part("journals", watches: ["race.settled"]) { state in
    state.id == nil ? [ask(state)] : []
  } body: { state, replies in
    guard state.id == nil else { return HTML() }
    return replies.card("Journals", ask(state), state) { answer in
      CardContent(
        note: "newest first",
        [
          .tag(
            "div", "choices",
            [
              Filters.choice(
                state, ["ledger"], "kind", ["deposit", "withdrawal", "entry_fee", "prize", "refund", "correction"]),
              Filters.fields(state, [("race", "Race"), ("athlete", "Athlete")]),
            ]), JournalTable.table(answer.rows, state).html(orElse: "No journals match."),
          Pager.html(state, ["ledger"], next: answer["next"]?.text),
        ])
    }
  }

  private static func journalAsk(_ state: PageState) -> Ask? {
    state.id.flatMap { Int64($0) }.map { Ask("ledger.journal", ["id": .integer($0)]) }
  }

  static let ledgerJournal = Part("journal", watches: []) { state in
    journalAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = journalAsk(state), let id = state.id else { return Card.unnumbered("Journal", state) }
    return replies.card("Journal \(id.cut(20))", ask, state) { journal in
      let race = journal.shown("raceId")
      let rows = journal.list("postings").prefix(200).map { row -> [PageTable.Cell] in
        let athlete = row.shown("athleteId")
        return [
          .text(row.shown("id"), "muted"), .text(row.shown("account").cut(40)),
          .html(athlete.isEmpty ? HTML() : .link(["athletes", athlete], text: athlete)), .text(row.shown("entryId")),
          .text(row.pounds("pence"), "strong"),
        ]
      }
      let count = journal.whole("postingsCount") ?? Int64(rows.count)
      return CardContent(
        notes: .joined([.text(journal.shown("kind").shownAsWords + " "), state.exact(journal.instant("at"))]),
        [
          Facts.html([
            ("race", race.isEmpty ? HTML() : .link(["races", race], text: race)),
            ("reference", .cut(journal.shown("reference"))),
            ("description", .cut(journal.shown("description"))), ("postings", .text(Amount.grouped(count))),
            ("position in the chain", .text(journal.count("position"))),
          ]),
          PageTable(
            label: "Postings",
            columns: [.number("posting"), .text("account"), .number("athlete"), .number("entry"), .number("amount")],
            rows: Array(rows)
          ).html(orElse: "The journal has no postings."),
          Facts.html([
            ("previous hash", .tag("code", text: journal.shown("previousHash").cut(64))),
            ("hash", .tag("code", text: journal.shown("hash").cut(64))),
          ]),
        ])
    }
  }
}
