import Markup
import TextCoding

/// The rows of `ledger.journals`.
enum JournalTable {
  /// Those of one race, which is named elsewhere: narrow, without what the ledger's own screen has.
  static func brief(_ rows: [JSONValue], _ state: PageState) -> PageTable {
    let cells = rows.map { row -> [PageTable.Cell] in
      let (id, athlete) = (row.shown("id"), row.shown("athleteId"))
      return [
        .html(.link(["ledger", id], text: id)), .html(state.compact(row.instant("at"))),
        .html(
          .joined([
            .text(row.shown("kind").shownAsWords + " "),
            athlete.isEmpty ? HTML() : .link(["athletes", athlete], text: athlete),
          ])),
        .text(row.pounds("pence"), "strong"),
      ]
    }
    return PageTable(
      label: "Journals",
      columns: [.number("journal"), .text("at"), .text("kind, athlete"), .number("amount")], rows: cells,
      isList: true)
  }

  static func table(_ rows: [JSONValue], _ state: PageState) -> PageTable {
    let columns: [PageTable.Column] = [
      .number("journal"), .text("at"), .text("kind"), .number("amount"), .number("race"), .number("athlete"),
      .text("reference"), .text("description"),
    ]
    let cells = rows.map { row -> [PageTable.Cell] in
      let (id, race, athlete) = (row.shown("id"), row.shown("raceId"), row.shown("athleteId"))
      return [
        .html(.link(["ledger", id], text: id)), .html(state.precise(row.instant("at"))),
        .text(row.shown("kind").shownAsWords), .text(row.pounds("pence"), "strong"),
        .html(race.isEmpty ? HTML() : .link(["races", race], text: race)),
        .html(athlete.isEmpty ? HTML() : .link(["athletes", athlete], text: athlete)),
        .name(row.shown("reference"), "wide muted"), .name(row.shown("description"), "wide muted"),
      ]
    }
    return PageTable(label: "Journals", columns: columns, rows: cells, isList: true)
  }
}
