import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let overview = Screen(
    "overview", title: "Overview", key: "o",
    parts: [
      .problems, .nextDue, .twoDays, .lateness, .money, .occurrences, .provider, .jobs, .happenings, .nodesBrief,
      .oneJob,
    ])
}

extension PageState {
  /// The day before now and the day after it.
  var twoDays: (from: Instant, to: Instant) { (hours(-24, from: thisMinute), hours(24, from: thisMinute)) }

  var timelineAsk: Ask { Ask("timeline", arguments(twoDays.from, twoDays.to)) }

  var latenessAsk: Ask { Ask("lateness", arguments(twoDays.from, thisMinute)) }
}

extension Part {
  private static let next = Ask("next", ["limit": .integer(9)])

  fileprivate static let nextDue = Part("next", width: .half, watches: [everyMinute, "occurrence.*"]) { _ in
    [next]
  } body: { state, replies in
    replies.card("Next due", next, state) { answer in
      let rows = answer.rows.map { row -> [PageTable.Cell] in
        let count = row.whole("count") ?? 1
        return [
          .html(state.countdown(row.instant("at")), "strong"), .html(state.brief(row.instant("at"))),
          .name(row["job"]?.text ?? row.shown("schedule")),
          .html(row.instant("key").map { state.exact($0) } ?? .cut(row.shown("key")), "muted"),
          .text(count == 1 ? "" : Amount.counted(count, "item", "items")),
        ]
      }
      let columns: [PageTable.Column] = [.text("in"), .text("at"), .text("job"), .text("what"), .number("note")]
      return CardContent(
        note: "times in \(state.zone.name)", right: .link(["timeline"], classes: "muted", text: "timeline"),
        [PageTable(label: "Next due", columns: columns, rows: rows).html(orElse: "Nothing is due.")])
    }
  }

  fileprivate static let twoDays = Part("timeline", watches: [everyMinute, "race.*", "occurrence.*"]) { state in
    [state.timelineAsk, .provider]
  } body: { state, replies in
    replies.card("Past and next 24 hours", state.timelineAsk, state) { answer in
      let span = state.twoDays
      let view = TimelineView(
        state: state, answer: answer, from: span.from, to: span.to,
        callLimit: replies[.provider]?.answer?["budget"]?["window15"]?.whole("limit"))
      return CardContent(
        notes: .joined([state.exact(span.from), .text(" to "), state.exact(span.to)]), right: TimelineLegend.html,
        [Card.body([.scroll("Plot of the past and next 24 hours", view.svg(marksMax: 200))]), summary(view.marks)])
    }
  }

  /// The marks counted by lane, job and outcome; the timeline's own screen has each.
  private static func summary(_ marks: [JSONValue]) -> HTML {
    let groups = Dictionary(grouping: marks) { [$0.shown("lane"), $0.shown("job"), $0.shown("outcome")] }
    let rows = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, marks -> [PageTable.Cell] in
      let count = marks.reduce(Int64(0)) { $0 &+ ($1.whole("count") ?? 1) }
      let pence = marks.compactMap { $0.whole("pence") }
      let held = pence.isEmpty ? "" : Amount.pounds(pence.reduce(0, &+))
      return [.text(key[0]), .name(key[1]), .html(StateText.html(key[2])), .text(Amount.grouped(count)), .text(held)]
    }
    return PlotNumbers.html(
      "marks by lane, job and outcome",
      [.text("lane"), .text("job"), .text("outcome"), .number("count"), .number("£")], rows)
  }

  private static let happeningsMax = 12

  fileprivate static let happenings = Part("happenings", width: .third, watches: ["*"]) { _ in
    []
  } body: { state, _ in
    let rows = state.happenings.suffix(happeningsMax).reversed().map { row in
      HTML.tag(
        "li", "",
        [
          .tag(
            "span", "muted",
            [isCommand(row) ? state.real(state.precise(row.instant("at"))) : state.precise(row.instant("at"))]),
          .tag("span", "accent", [.cut(row.shown("kind").cut(60))]),
          .tag(
            "span", "",
            [
              .cut(
                [row.shown("key").cut(60), row.shown("text").cut(90), row.shown("job").cut(60)].filter { !$0.isEmpty }
                  .joined(separator: " · "))
            ]),
        ])
    }
    return Card.html(
      "Live events", note: "all nodes",
      [rows.isEmpty ? .none("New events appear here.") : .tag("ul", "feed", Array(rows))])
  }

  /// Whether an operator did it: the audit has real time.
  private static func isCommand(_ happening: JSONValue) -> Bool { happening.shown("kind").hasPrefix("command.") }

  fileprivate static let nodesBrief = Part("nodes", width: .third, watches: [everyFiveSeconds]) { _ in
    [.nodes]
  } body: { state, replies in
    replies.card("Nodes and clocks", .nodes, state) { answer in
      let rows = answer.rows.map { node -> [PageTable.Cell] in
        [
          .html(.link(["nodes"], [.cut(node.shown("node"))])), .html(StateText.html(node.shown("state"))),
          .text(node.whole("silentMs").map { Amount.duration(milliseconds: $0) } ?? ""),
          .text(ClockDifference.text(node)), .text(NodeTimes.up(node)),
        ]
      }
      let columns: [PageTable.Column] = [
        .text("node"), .text("state"), .number("silent"), .number("clock"), .number("up"),
      ]
      return CardContent(
        note: Amount.counted(Int64(answer.rows.count), "node", "nodes"),
        [PageTable(label: "Nodes", columns: columns, rows: rows).html(orElse: "No node has reported.")])
    }
  }
}
