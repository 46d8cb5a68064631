import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let checkIns = Screen(
    "checkins", title: "Check-ins", key: "c", group: "People", parts: [.midnights, .streaks])
}

extension Part {
  private static let ask = Ask("checkins.status")

  fileprivate static let midnights = Part("midnights", width: .half, watches: [everyMinute]) { _ in
    [ask]
  } body: { state, replies in
    replies.card("Next midnights", ask, state) { answer in
      let rows = answer.list("midnights").prefix(60).map { row -> [PageTable.Cell] in
        [
          .html(state.countdown(row.instant("at")), "strong"), .html(state.exact(row.instant("at"))),
          .text(row.count("zones")),
          .text(row.count("people")),
        ]
      }
      let overdue = answer.whole("overdue") ?? 0
      return CardContent(
        note: Amount.counted(answer.whole("zones") ?? 0, "zone", "zones"),
        right: overdue == 0
          ? StateText.html("none overdue", "✓", .good)
          : StateText.html("\(Amount.grouped(overdue)) overdue", "▲", .bad),
        [
          PageTable(
            label: "Midnights", columns: [.text("in"), .text("at"), .number("zones"), .number("people")],
            rows: Array(rows)
          ).html(orElse: "There are no check-in profiles.")
        ])
    }
  }

  fileprivate static let streaks = Part("streaks", width: .half, watches: [everyMinute]) { _ in
    [ask]
  } body: { state, replies in
    replies.card("Closed days", ask, state) { answer in
      let days = answer.list("days")
      let bars = days.map { day in
        BarPlot.Bar(
          label: DayText.short(day),
          title:
            "\(DayText.short(day)): \(day.count("checkedIn")) checked in, \(day.count("streaksEnded")) streaks ended",
          pieces: [.init(day.whole("checkedIn") ?? 0, .light), .init(day.whole("streaksEnded") ?? 0, .held)])
      }
      let plot = BarPlot(
        label: "Check-ins and ended streaks per closed day", bars: bars, width: 600,
        tick: Amount.grouped)
      return CardContent(
        note: Amount.counted(Int64(days.count), "day", "days"),
        [
          Card.body([plot.svg, Swatches.html([("checked in", .light), ("streaks ended", .held)])]),
          PlotNumbers.html(
            "days", [.text("day"), .number("zones"), .number("checked in"), .number("streaks ended")],
            days.map {
              [
                .text($0.shown("day").cut(20)), .text($0.count("zones")), .text($0.count("checkedIn")),
                .text($0.count("streaksEnded")),
              ]
            }),
        ])
    }
  }
}
