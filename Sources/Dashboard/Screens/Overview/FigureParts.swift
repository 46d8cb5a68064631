import ControlAPI
import Markup
import Plots
import TextCoding

extension Part {
  static let lateness = Part("lateness", width: .quarter, watches: [everyMinute]) { state in
    [state.latenessAsk]
  } body: { state, replies in
    replies.card("Lateness", state.latenessAsk, state) { answer in
      let jobs = answer.list("jobs")
      var sums: [(upTo: Int64?, count: Int64)] = []
      for bucket in jobs.flatMap({ $0.list("buckets") }) {
        let upTo = bucket.whole("upToMs")
        let count = bucket.whole("count") ?? 0
        if let index = sums.firstIndex(where: { $0.upTo == upTo }) {
          sums[index].count &+= count
        } else {
          sums.append((upTo, count))
        }
      }
      sums.sort { ($0.upTo ?? .max) < ($1.upTo ?? .max) }
      let bars = sums.map { upTo, count in
        let name = upTo.map { Amount.duration(milliseconds: $0) } ?? "∞"
        let tone: Tone = (upTo ?? .max) <= 25 ? .main : (upTo ?? .max) <= 500 ? .light : .held
        return BarPlot.Bar(
          label: name.shortUnit, top: count > 0 ? Amount.short(count) : nil,
          title: "to \(name): \(Amount.grouped(count))",
          pieces: [.init(count, tone)])
      }
      let worst = jobs.max { ($0.whole("p99Ms") ?? 0) < ($1.whole("p99Ms") ?? 0) }
      let total = jobs.reduce(Int64(0)) { $0 &+ ($1.whole("count") ?? 0) }
      let right = worst.map {
        "p99 \(Amount.duration(milliseconds: $0.whole("p99Ms") ?? 0)) \($0.shown("job").cut(30).isolated)"
      }
      let plot = BarPlot(
        label: "How late work started in the last 24 hours (\(Amount.grouped(total)) starts)", bars: bars,
        growth: .logarithmic, tick: Amount.grouped)
      return CardContent(
        note: "24 h", right: .text(right ?? ""),
        [
          Card.body([plot.svg]),
          PlotNumbers.html(
            "lateness by job",
            [.text("job"), .number("times"), .number("p50"), .number("p99"), .number("most")],
            jobs.map { job in
              [.name(job.shown("job")), .text(job.count("count"))]
                + ["p50Ms", "p99Ms", "maxMs"].map { name in
                  .text(job.whole(name).map { Amount.duration(milliseconds: $0) } ?? "")
                }
            }),
        ])
    }
  }

  private static func monthAsk(_ command: String, _ state: PageState) -> Ask {
    Ask(command, state.zonedArguments(state.span(daysBack: 29)))
  }

  static let money = Part("money", width: .quarter, watches: ["race.settled"]) { state in
    [monthAsk("ledger.days", state)]
  } body: { state, replies in
    replies.card("Prizes and refunds per day", monthAsk("ledger.days", state), state) { answer in
      let days = answer.list("days")
      let bars = days.map { day in
        let (prizes, refunds) = (day.whole("prizesPence") ?? 0, day.whole("refundsPence") ?? 0)
        return BarPlot.Bar(
          label: DayText.short(day), title: "\(DayText.short(day)): \(Amount.pounds(prizes &+ refunds))",
          pieces: [.init(prizes, .main), .init(refunds, .held)])
      }
      let plot = BarPlot(label: "Prizes and refunds per day over the last 30 days", bars: bars) { pence in
        pence >= 1_000_000 ? "£" + Amount.grouped(pence / 100_000) + "k" : "£" + Amount.grouped(pence / 100)
      }
      let today = days.last.map { day in
        "\(DayText.short(day)) \(Amount.pounds((day.whole("prizesPence") ?? 0) &+ (day.whole("refundsPence") ?? 0)))"
      }
      return CardContent(
        note: "", right: .text(today ?? ""),
        [Card.body([plot.svg]), LedgerDayTable.numbers(days)])
    }
  }

  static let occurrences = Part("occurrences", width: .quarter, watches: ["occurrence.*"]) { state in
    [monthAsk("occurrences.days", state)]
  } body: { state, replies in
    replies.card("Occurrences per day", monthAsk("occurrences.days", state), state) { answer in
      let days = answer.list("days").suffix(60).map(\.self)
      return CardContent(
        note: "30 days", right: .link(["schedules"], classes: "muted", text: "schedules"),
        [Card.body([OccurrenceDays.plot(days).svg, OccurrenceDays.legend]), OccurrenceDays.numbers(days)])
    }
  }

  static let provider = Part("strava", width: .quarter, watches: [everyMinute]) { _ in
    [.provider]
  } body: { state, replies in
    replies.card("Strava", .provider, state) { answer in
      CardContent(
        note: "calls and their limits", right: .link(["strava"], classes: "muted", text: "all"),
        [Card.body(ProviderView.meters(answer, brief: true) + [ProviderView.states(answer)])])
    }
  }
}

extension String {
  /// `5 ms` as `5`, `1.0 s` as `1 s`: there is little room below a bar.
  fileprivate var shortUnit: String {
    if hasSuffix(" ms") { return String(dropLast(3)) }
    return hasSuffix(".0 s") ? dropLast(4) + " s" : self
  }
}
