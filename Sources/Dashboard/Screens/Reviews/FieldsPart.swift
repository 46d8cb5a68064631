import ControlAPI
import Markup
import TextCoding

extension Part {
  static let reviewFields = Part("fields", width: .half, watches: ["activity.*", "race.*"]) { state in
    state.reviewAsk.map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = state.reviewAsk else { return HTML() }
    return replies.card("Its races", ask, state) { review in
      let rows = review.list("affected").prefix(50).map { race -> [PageTable.Cell] in
        let field = race["field"] ?? .null
        let type = field.shown("type")
        func score(_ score: Int64?) -> String { score.map { ScoreText.text($0, type: type) } ?? "" }
        let raceId = race.shown("raceId")
        return [
          .html(.link(["races", raceId], text: raceId)),
          .text(
            "\(field.shown("duration")) \(ScoreText.typeName(type)), \(field.shown("category").shownAsWords)", "waits"),
          .html(StateText.html(field.shown("status"))), .html(state.brief(field.instant("dueAt"))),
          .html(
            .joined([
              StateText.html(field.shown("entryStatus")), .text(" "),
              .tag("span", "muted", text: field.shown("entryId")),
            ])), .text(score(field.whole("score")), "strong"),
          .text(
            field.list("best").prefix(3).compactMap(\.integer).map { score($0) }.joined(separator: ", "), "muted waits"),
          .text(score(field.whole("median")), "muted"), .text("\(field.count("ranked")) of \(field.count("entries"))"),
        ]
      }
      let columns: [PageTable.Column] = [
        .number("race"), .text("for"), .text("state"), .text("due"), .text("entry"), .number("score"),
        .text("best of the field"), .number("median"), .number("ranked"),
      ]
      return CardContent([
        PageTable(label: "Races of the activity", columns: columns, rows: Array(rows)).html(
          orElse: "The activity does not count in any race.")
      ])
    }
  }

  /// As decisions name their target.
  private static func target(_ id: String) -> String { "activity \(id.cut(100))" }

  private static func auditAsk(_ id: String) -> Ask {
    Ask("audit.log", ["target": .text(target(id)), "limit": .integer(8)])
  }

  static let reviewPast = Part("past", width: .half, watches: ["command.*"]) { state in
    state.activityId == nil ? [] : [state.activityAsk, auditAsk(state.id ?? "")].compactMap(\.self)
  } body: { state, replies in
    guard let ask = state.activityAsk, let id = state.id else { return HTML() }
    return replies.card("What happened", ask, state) { activity in
      let rows = activity.list("decisions").prefix(20).map { row -> [PageTable.Cell] in
        [
          .html(state.brief(row.instant("at")), "muted"), .html(StateText.html(row.shown("decision"))),
          .name(row.shown("reviewer")), .name(row.shown("reason")),
        ]
      }
      let audit = replies.rendered(auditAsk(id), state) { AuditTable.brief($0.rows, state) }
      return CardContent(
        right: .link(["audit"], query: [("target", target(id))], classes: "muted", text: "audit"),
        [
          PageTable(
            label: "Decisions", columns: [.text("at"), .text("decision"), .text("by"), .text("reason")],
            rows: Array(rows)
          ).html(orElse: "Nobody has decided."), audit,
        ])
    }
  }
}
