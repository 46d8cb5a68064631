import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let timeline = Screen("timeline", title: "Timeline", key: "t", parts: [.lanes])
}

extension Part {
  /// A window of one to eight days round now, or from the day that the query names.
  private static func window(_ state: PageState) -> (from: Instant, to: Instant, days: Int64) {
    let days = min(8, max(1, state.query["days"].flatMap { Int64($0) } ?? 2))
    let start = state.query["from"].flatMap { Instant($0) } ?? state.hours(-12 * days, from: state.thisMinute)
    return (start, state.hours(24 * days, from: start), days)
  }

  private static func ask(_ state: PageState) -> Ask {
    let window = window(state)
    return Ask("timeline", state.arguments(window.from, window.to))
  }

  fileprivate static let lanes = Part("lanes", watches: [everyMinute, "race.*", "occurrence.*"]) { state in
    [ask(state), .provider]
  } body: { state, replies in
    let window = window(state)
    return replies.card("Timeline", ask(state), state) { answer in
      let view = TimelineView(
        state: state, answer: answer, from: window.from, to: window.to,
        callLimit: replies[.provider]?.answer?["budget"]?["window15"]?.whole("limit"))
      let counted = answer.whole("countedBySeconds").map {
        ", grouped into intervals of \(Amount.duration(milliseconds: $0 &* 1_000))"
      }
      return CardContent(
        notes: .joined([
          state.exact(answer.instant("from") ?? window.from), .text(" to "),
          state.exact(answer.instant("to") ?? window.to),
          .text(counted ?? ""),
        ]), right: moves(state, window),
        [
          .tag("div", "body", [.scroll("Plot of the timeline", view.svg(marksMax: 350)), TimelineLegend.html]),
          PlotNumbers.html("timeline marks", columns, view.marks.map { row(state, $0) }),
        ])
    }
  }

  private static func moves(_ state: PageState, _ window: (from: Instant, to: Instant, days: Int64)) -> HTML {
    let day: Int64 = 24
    func link(_ key: String, _ text: String, _ from: Instant?, _ days: Int64) -> HTML {
      let query = [("days", String(days))] + (from.map { [("from", $0.text)] } ?? [])
      return .element(
        "a", [.link(["timeline"], query), Attribute("class", "btn"), Attribute("data-key", key)],
        [.text(text + " "), .key(key)])
    }
    return .joined([
      link("[", "one day back", state.hours(-day, from: window.from), window.days),
      link("]", "one day forward", state.hours(day, from: window.from), window.days),
      link("0", "now", nil, window.days), link("8", "8 days", nil, 8), link("2", "2 days", nil, 2),
    ])
  }

  private static let columns: [PageTable.Column] = [
    .text("at"), .text("until"), .text("lane"), .text("job"), .text("key"), .number("count"), .number("£"),
    .text("outcome"), .number("late"), .text("note"),
  ]

  private static func row(_ state: PageState, _ mark: JSONValue) -> [PageTable.Cell] {
    [
      .html(state.precise(mark.instant("at"))), .html(state.precise(mark.instant("until"))), .text(mark.shown("lane")),
      .name(mark.shown("job")), .name(mark.shown("key")), .text(mark.count("count")), .text(mark.pounds("pence")),
      .html(StateText.html(mark.shown("outcome"))),
      .text(mark.whole("latenessMs").map { Amount.duration(milliseconds: $0) } ?? ""), .name(mark.shown("note")),
    ]
  }
}

/// The signs of the lanes in words.
enum TimelineLegend {
  static var html: HTML {
    .tag(
      "p", "legend muted",
      [
        StateText.html("did", "●", .accent), .text(" "), StateText.html("will", "○", .accent), .text(" "),
        StateText.html("held, skipped or missed", "■", .warn), .text(" "), StateText.html("failed", "▲", .bad),
      ])
  }
}
