import Markup
import TextCoding

/// The rows of `ledger.journals`.
enum JournalTable {
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
