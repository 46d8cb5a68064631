import ControlAPI
import Cron
import Markup
import Plots
import TextCoding

extension Part {
  /// The line that the query holds, or that of the schedule that is shown.
  private static func asks(_ state: PageState) -> (ticks: Ask, days: Ask)? {
    guard let cron = state.filter("cron") else { return nil }
    let zone = state.filter("cronzone") ?? state.zone.name
    let start = state.midnight(before: state.now)
    var days = state.arguments(start, Instant(milliseconds: start.milliseconds + 366 * 86_400_000))
    days["cron"] = .text(cron)
    days["zone"] = .text(zone)
    return (
      Ask("schedule.preview", ["cron": .text(cron), "zone": .text(zone), "count": .integer(10)]),
      Ask("schedule.days", days)
    )
  }

  /// The ticks around each clock change of the coming year, where the line's zone is that of the page.
  private static func changes(_ state: PageState) -> [(at: Instant, before: String, after: String, ask: Ask)] {
    guard let cron = state.filter("cron"), state.filter("cronzone") ?? state.zone.name == state.zone.name else {
      return []
    }
    let zone = state.zone.name
    return state.zone.changes(from: state.now, to: state.now.advanced(bySeconds: 366 * 86_400)).prefix(2).map {
      change in
      let from = change.at.advanced(bySeconds: -around)
      let ask = Ask(
        "schedule.preview",
        ["cron": .text(cron), "zone": .text(zone), "from": .text(from.text), "count": .integer(6)])
      return (change.at, change.before.abbreviation, change.after.abbreviation, ask)
    }
  }

  /// So many seconds before and after a change.
  private static let around: Int64 = 129_600

  private static func aroundChanges(_ state: PageState, _ replies: [Ask: Reply]) -> [HTML] {
    changes(state).flatMap { change -> [HTML] in
      guard let answer = replies[change.ask]?.answer else { return [] }
      let end = change.at.advanced(bySeconds: around)
      let rows = answer.rows.filter { row in row.instant("instant").map { $0 < end } ?? false }
      return [
        .tag("h3", "pad", text: "Around \(state.exactText(change.at)), from \(change.before) to \(change.after)"),
        rows.isEmpty ? .none("The schedule has no tick within 36 hours of this change.") : table(rows, state),
      ]
    }
  }

  /// Stands beside the preview, not in it: what is replaced while one types must not hold the focus.
  static let scheduleLine = Part("line") { _ in
    []
  } body: { state, _ in
    Card.html(
      "Preview a cron line", note: "shows when it would tick, in \(state.zone.name) unless you enter another zone",
      [
        Card.body([
          Filters.fields(state, [("cron", "Cron line"), ("cronzone", "Zone")], live: "schedules/preview"),
          .tag("p", "muted", text: "Minute, hour, day, month, weekday; with six fields, seconds come first."),
        ])
      ])
  }

  static let schedulePreview = Part("preview") { state in
    (asks(state).map { [$0.ticks, $0.days] } ?? []) + changes(state).map(\.ask)
  } body: { state, replies in
    guard let asks = asks(state), let cron = state.filter("cron") else { return HTML() }
    var content = [refusal(replies[asks.ticks], cron)]
    if CronWords.hasBothDays(cron) {
      content.append(
        .tag(
          "p", "body warn",
          [.sign("▲"), .text(" Day and weekday are both set: the schedule ticks on days that match either.")])
      )
    }
    if let ticks = replies[asks.ticks]?.answer {
      content.append(table(ticks.rows, state))
      content += aroundChanges(state, replies)
    }
    if let days = replies[asks.days] {
      content.append(days.answer.map { year($0, cron) } ?? days.rendered(asks.days, state) { _ in HTML() })
    }
    let zone = state.filter("cronzone") ?? state.zone.name
    return Card.html("Ticks of \(cron.cut(60))", note: "in \(zone.cut(60).isolated)", content)
  }

  /// The daemon's own words, and the place of the mistake underlined.
  private static func refusal(_ reply: Reply?, _ cron: String) -> HTML {
    guard case .refused(_, let text)? = reply else { return HTML() }
    let scalars = Array(cron.unicodeScalars)
    guard let place = CronWords.position(in: text), (1...scalars.count).contains(place) else {
      return .tag("p", "body bad", [.sign("▲ "), .cut(text.cut(400))])
    }
    func part(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
    let end = scalars[(place - 1)...].firstIndex(of: " ") ?? scalars.count
    return .tag(
      "div", "body bad",
      [
        .tag("p", "", [.sign("▲ "), .cut(text.cut(400))]),
        .tag(
          "code", "wrong",
          [
            .text(part(0..<place - 1)), .tag("mark", text: part(place - 1..<max(place, end))),
            .text(part(max(place, end)..<scalars.count)),
          ]),
      ])
  }

  private static func table(_ rows: [JSONValue], _ state: PageState) -> HTML {
    let cells = rows.map { row -> [PageTable.Cell] in
      let note: HTML =
        switch row.shown("note") {
        case "gap": StateText.html("the clocks skip this time: the schedule ticks right after the gap", "↻", .warn)
        case "fold": StateText.html("this time occurs twice: the schedule ticks only the first time", "↺", .warn)
        case "last": StateText.html("the last tick", "■", .muted)
        default: HTML()
        }
      return [.text(local(row)), .text(utc(row), "muted"), .html(note)]
    }
    return PageTable(label: "Ticks", columns: [.text("local time"), .text("UTC"), .text("note")], rows: cells)
      .html(orElse: "This cron line never ticks.")
  }

  /// `Sun 2031-10-26 01:30:00`.
  private static func local(_ row: JSONValue) -> String {
    let text = row.shown("localTime").cut(60)
    let weekday = CivilDate(String(text.prefix(10))).map { $0.weekdayName + " " } ?? ""
    return weekday + text.replacing("T", with: " ")
  }

  /// `2031-10-26 00:30:00Z`.
  private static func utc(_ row: JSONValue) -> String {
    row.shown("instant").cut(40).replacing("T", with: " ").replacing(".000Z", with: "Z")
  }

  /// The days of the coming year on which a clock change moves or repeats a tick, in whichever zone the line has.
  private static func touched(_ days: [JSONValue]) -> HTML {
    let texts = days.compactMap { day -> String? in
      let (gaps, folds) = (day.whole("gaps") ?? 0, day.whole("folds") ?? 0)
      guard gaps > 0 || folds > 0 else { return nil }
      let parts = [
        gaps > 0 ? "the clocks skip \(Amount.counted(gaps, "tick", "ticks"))" : nil,
        folds > 0 ? "\(Amount.counted(folds, "tick falls", "ticks fall")) in the repeated hour" : nil,
      ]
      return "\(DayText.short(day)): " + parts.compactMap(\.self).joined(separator: ", ")
    }
    guard !texts.isEmpty else { return .none("No clock change in the coming year moves or repeats a tick.") }
    return .tag("p", "none warn", [.sign("▲"), .text(" " + texts.prefix(4).joined(separator: "; ") + ".")])
  }

  private static func year(_ answer: JSONValue, _ cron: String) -> HTML {
    let days = answer.list("days")
    let most = days.compactMap { $0.whole("ticks") }.max() ?? 0
    let shown = days.compactMap { day -> CalendarPlot.Day? in
      guard let date = CivilDate(day.shown("day")) else { return nil }
      let (gaps, folds) = (day.whole("gaps") ?? 0, day.whole("folds") ?? 0)
      var title = "\(DayText.short(day)): \(Amount.counted(day.whole("ticks") ?? 0, "tick", "ticks"))"
      if gaps > 0 { title += ", \(Amount.counted(gaps, "gap", "gaps"))" }
      if folds > 0 { title += ", \(Amount.counted(folds, "fold", "folds"))" }
      return CalendarPlot.Day(
        number: date.number, month: date.month, day: date.day, level: CalendarView.level(day.whole("ticks") ?? 0, most),
        mark: gaps > 0 || folds > 0 ? .warn : nil, title: title)
    }
    let plot = CalendarPlot(label: "Ticks on each day of the coming year: \(cron.cut(60).isolated)", days: shown)
    return .joined([
      .tag(
        "h3", "pad",
        text: "The coming year, one cell per day; a frame marks a clock change that moves or repeats a tick"),
      .tag("div", "body", [.scroll("Plot of the ticks", plot.svg)]), touched(days),
      PlotNumbers.html(
        "days with ticks",
        [.text("day"), .number("ticks"), .text("first, UTC"), .text("last, UTC"), .number("gaps"), .number("folds")],
        days.filter { $0.whole("ticks") ?? 0 > 0 }.map { day in
          [
            .text(day.shown("day").cut(20)), .text(day.count("ticks")), .text(day.shown("first").cut(40)),
            .text(day.shown("last").cut(40)),
            .text(day.count("gaps")), .text(day.count("folds")),
          ]
        }),
    ])
  }
}
