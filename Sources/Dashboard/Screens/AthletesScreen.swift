import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let athletes = Screen(
    "athletes", title: "Athlete", key: "h", group: "People", isInNavigation: false,
    parts: [.athlete, .athleteEntries, .athleteActivities])
}

extension Part {
  private static func ask(_ state: PageState) -> Ask? {
    state.id.flatMap { Int64($0) }.map { Ask("athlete.show", ["id": .integer($0)]) }
  }

  fileprivate static let athlete = Part("athlete", watches: ["race.*", "activity.*"]) { state in
    ask(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = ask(state), let id = state.id else {
      return Card.unnumbered("Athlete", state, orElse: Card.html("Athlete", [.none("Select an athlete.")]))
    }
    return replies.card("Athlete \(id)", ask, state) { answer in
      CardContent(
        notes: .cut(answer.shown("displayName")),
        right: .link(["ledger"], query: [("athlete", id)], classes: "btn", text: "Journals"),
        [
          Facts.html([
            ("kind", .text(answer.shown("userType"))), ("since", state.exact(answer.instant("createdAt"))),
            ("erased", state.exact(answer.instant("erasedAt"))),
            ("wallet", .tag("b", text: answer.pounds("balancePence"))),
            ("pending", .text(answer.pounds("pendingPence"))), ("receivable", .text(answer.pounds("receivablePence"))),
          ])
        ])
    }
  }

  fileprivate static let athleteEntries = Part("entries", width: .half, watches: ["race.*"]) { state in
    ask(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = ask(state) else { return HTML() }
    return replies.card("Latest entries", ask, state) { answer in
      let rows = answer.list("entries").prefix(100).map { row -> [PageTable.Cell] in
        let race = row.shown("raceId")
        return [
          .text(row.shown("id"), "muted"), .html(.link(["races", race], text: race)),
          .html(StateText.html(row.shown("status"))),
          .html(state.exact(row.instant("enteredAt"))), .text(row.shown("rank")),
          .text(row.pounds("prizePence"), "strong"),
        ]
      }
      return CardContent([
        PageTable(
          label: "Entries",
          columns: [
            .number("entry"), .number("race"), .text("state"), .text("entered"), .number("place"), .number("prize"),
          ],
          rows: Array(rows)
        ).html(orElse: "The athlete has not entered any race.")
      ])
    }
  }

  fileprivate static let athleteActivities = Part("activities", width: .half, watches: ["activity.*"]) { state in
    ask(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = ask(state) else { return HTML() }
    return replies.card("Latest activities", ask, state) { answer in
      let rows = answer.list("activities").prefix(100).map { row -> [PageTable.Cell] in
        let (id, flags) = (row.shown("id"), row.whole("openFlags") ?? 0)
        return [
          .html(.link(["reviews", id], text: id)), .html(state.exact(row.instant("startedAt"))),
          .text(row.shown("type").cut(40)),
          .html(StateText.html(row.shown("status"))),
          .html(flags > 0 ? StateText.html(Amount.grouped(flags), "▲", .warn) : HTML()),
        ]
      }
      return CardContent([
        PageTable(
          label: "Activities",
          columns: [.number("activity"), .text("started"), .text("type"), .text("state"), .number("open flags")],
          rows: Array(rows)
        ).html(orElse: "There are no activities.")
      ])
    }
  }
}
