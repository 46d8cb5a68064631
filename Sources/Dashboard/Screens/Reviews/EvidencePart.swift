import ControlAPI
import Markup
import Plots
import TextCoding

extension Part {
  static let reviewEvidence = Part("evidence", width: .half, watches: ["activity.*", "command.*"]) { state in
    [state.reviewAsk, state.activityAsk].compactMap(\.self)
  } body: { state, replies in
    guard let ask = state.reviewAsk, let activityAsk = state.activityAsk else {
      return Card.unnumbered("Evidence", state, orElse: Card.html("Evidence", [.none("Select an activity.")]))
    }
    return replies.card("Activity \(state.id ?? "")", ask, state) { review in
      let activity = review["activity"] ?? .null
      let shown = replies[activityAsk]?.answer
      let race = review.list("affected").first?["field"]
      let plots =
        shown.map { Evidence.plots($0, field: race, state) } ?? replies.rendered(activityAsk, state) { _ in HTML() }
      return CardContent(
        notes: .joined([.cut(activity.shown("name")), .text(" "), StateText.html(activity.shown("status"))]),
        right: .element("output", [Attribute("class", "mono"), Attribute("id", "at")]),
        [facts(review, activity, shown, state), plots, flags(review, state), DecidedFlags.html(review, state)])
    }
  }

  private static func facts(
    _ review: JSONValue, _ activity: JSONValue, _ shown: JSONValue?, _ state: PageState
  ) -> HTML {
    let athlete = activity.shown("athleteId")
    return Facts.html(
      [
        ("athlete", .link(["athletes", athlete], [.text(athlete + " "), .cut(activity.shown("displayName"))])),
        (activity.shown("activityType").cut(30), .text(Measure.distance(activity.measure("distance")))),
        ("moving", .text(Measure.seconds(activity.measure("movingTime")))),
        ("elapsed", .text(Measure.seconds(activity.measure("elapsedTime")))),
        ("max", .text(Measure.speed(activity.measure("maxSpeed")))),
        ("started", state.exact(activity.instant("startDate"))),
        ("imported", state.exact(activity.instant("importedAt"))),
        ("from", .text(Measure.place(activity.object("startLocation")))),
        ("to", .text(Measure.place(activity.object("endLocation")))),
        ("provider's id", .text(activity.shown("stravaId"))),
        ("visible to", .text(activity.shown("visibility").shownAsWords)),
        ("rejected for", .text(activity.list("reasons").compactMap(\.text).joined(separator: ", "))),
        ("counted flags", .text(activity.count("flagCount"))),
        ("athlete's open flags", .text(shown?.count("athleteFlags") ?? "")),
        ("under review", .text(review.instant("openedAt").map { "for \(state.age($0))" } ?? "")),
        ("level", .text(review.shown("level"))), ("state", .text(review.shown("state").shownAsWords)),
        ("reasons", .text(review.list("reasons").compactMap(\.text).map(\.shownAsWords).joined(separator: ", "))),
        ("deleted", state.exact(review.instant("deletedAt"))),
        ("forgotten", state.exact(review.instant("forgottenAt") ?? shown?.instant("forgottenAt"))),
      ] + bounds(review))
  }

  private static func bounds(_ review: JSONValue) -> [(String, HTML)] {
    review.list("bounds").map { bound in
      let type = bound.shown("score")
      func text(_ name: String) -> String { bound.whole(name).map { ScoreText.text($0, type: type) } ?? "" }
      return (
        "implausible \(ScoreText.typeName(type))",
        StateText.html("\(text("value")); the limit is \(text("bound"))", "▲", .bad)
      )
    }
  }

  private static func flags(_ review: JSONValue, _ state: PageState) -> HTML {
    let rows = review.list("flags").prefix(50).map { flag -> [PageTable.Cell] in
      let athlete = flag.shown("flaggedBy")
      return [
        .html(StateText.html(flag.shown("reason"), "▲", .warn)), .html(.link(["athletes", athlete], text: athlete)),
        .html(state.brief(flag.instant("at"))), .text(flag.isTrue("counts") ? "yes" : "no, closed"),
        .name(flag.shown("notes"), "muted"),
      ]
    }
    let heading = HTML.tag("h3", "pad", text: "Open flags: \(review.count("openFlags"))")
    let table = PageTable(
      label: "Flags", columns: [.text("flag"), .number("by"), .text("at"), .text("counts"), .text("note")],
      rows: Array(rows)
    )
    return heading + table.html(orElse: "None.")
  }
}
