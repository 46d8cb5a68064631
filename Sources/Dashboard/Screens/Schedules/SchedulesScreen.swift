import ControlAPI
import Cron
import Markup
import Plots
import TextCoding

extension Screen {
  static let schedules = Screen(
    "schedules", title: "Schedules", key: "s",
    parts: [
      .scheduleList, .scheduleHead, .scheduleYear, .scheduleOccurrences, .scheduleBackfill, .scheduleAudit,
      .scheduleLine, .schedulePreview,
    ])
}

extension Ask {
  static let schedules = Ask("schedule.list")
}

extension PageState {
  /// The schedule that is shown; a name that none can have counts for none.
  var scheduleName: String? { id.flatMap { $0.unicodeScalars.count <= 63 ? $0 : nil } }
}

extension Part {
  fileprivate static let scheduleList = Part("list", watches: ["occurrence.*", "command.*"]) { state in
    state.scheduleName == nil ? [.schedules, recentAsk] : []
  } body: { state, replies in
    guard state.scheduleName == nil else { return HTML() }
    let recent = Dictionary(grouping: replies[recentAsk]?.answer?.rows ?? []) { $0.shown("schedule") }
    return replies.card("Schedules", .schedules, state) { answer in
      let columns: [PageTable.Column] = [
        .text("schedule"), .text("state"), .text("next tick"), .text("line"), .text("zone"), .text("calls"),
        .text("if missed"), .text("last outcomes, newest on the right"),
      ]
      let rows = answer.rows.prefix(200).map { row(state, $0, recent[$0.shown("name")] ?? []) }
      return CardContent(
        note: "\(answer.rows.count) in total, times in \(state.zone.name)",
        [
          PageTable(label: "Schedules", columns: columns, rows: Array(rows), isList: true).html(
            orElse: "There are no schedules."), OutcomeText.legend,
        ])
    }
  }

  /// The latest of all schedules: those that tick often have more of them.
  private static let recentAsk = Ask("occurrences", ["limit": .integer(500)])

  private static func row(_ state: PageState, _ schedule: JSONValue, _ recent: [JSONValue]) -> [PageTable.Cell] {
    let name = schedule.shown("name")
    return [
      .html(.link(["schedules", name], [.cut(name.cut(63))])), .html(ScheduleText.state(schedule)),
      .html(state.exact(schedule.instant("nextDue"))), .html(ScheduleText.line(schedule, state)),
      .name(schedule.shown("zone").cut(60)),
      schedule.isTrue("builtIn") ? .text("built in", "muted") : .name(schedule.shown("call").cut(130)),
      .text(ScheduleText.missed(schedule)), .html(ScheduleText.marks(recent, state)),
    ]
  }

  static let scheduleHead = Part("schedule", watches: ["occurrence.*", "command.*"]) { state in
    state.scheduleName == nil ? [] : [.schedules]
  } body: { state, replies in
    guard let id = state.scheduleName else { return HTML() }
    return replies.card("Schedule \(id.cut(63))", .schedules, state) { answer in
      guard let schedule = answer.rows.first(where: { $0.shown("name") == id }) else {
        return CardContent([
          .none("No schedule has this name; occurrences of a removed schedule might be listed below.")
        ])
      }
      return CardContent(
        right: ScheduleText.state(schedule),
        [
          Facts.html([
            ("line", ScheduleText.line(schedule, state)), ("zone", .cut(schedule.shown("zone"))),
            ("next tick", state.exact(schedule.instant("nextDue"))), ("calls", .cut(schedule.shown("call").cut(130))),
            ("kind", .text(schedule.isTrue("builtIn") ? "built in" : "SQL")),
            ("if missed", .text(ScheduleText.missed(schedule))),
            ("time-out", .text(schedule.shown("timeout").cut(40))),
            ("splay", .text(schedule.shown("splay").cut(40))),
          ]), changes(schedule, state),
        ])
    }
  }

  private static func changes(_ schedule: JSONValue, _ state: PageState) -> HTML {
    guard !schedule.isTrue("builtIn") else { return HTML() }
    let (name, isPaused) = (schedule.shown("name"), schedule.isTrue("paused"))
    var move = ChangeDialog(
      isPaused ? .scheduleResume : .schedulePause, ["name": .text(name)], id: "schedule-state",
      label: isPaused ? "Resume" : "Pause")
    move.before = ScheduleText.state(schedule)
    move.after = .text(
      isPaused ? "The schedule resumes now." : "The schedule will not tick until it is resumed.")
    move.tone = isPaused ? "good" : "warn"
    var remove = ChangeDialog(.scheduleRemove, ["name": .text(name)], id: "schedule-remove", label: "Remove")
    remove.before = ScheduleText.line(schedule, state)
    remove.after = .text("The schedule will never tick again; its occurrences are kept.")
    remove.tone = "bad"
    let dialogs = [move.html(state), remove.html(state)]
    return dialogs.allSatisfy(\.isEmpty) ? HTML() : .tag("div", "act", dialogs)
  }

  private static func daysAsk(_ state: PageState) -> Ask? {
    guard let id = state.scheduleName else { return nil }
    var arguments = state.zonedArguments(state.span(daysBack: 364))
    arguments["schedule"] = .text(id)
    return Ask("occurrences.days", arguments)
  }

  static let scheduleYear = Part("year", watches: ["occurrence.*"]) { state in
    daysAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = daysAsk(state) else { return HTML() }
    return replies.card("The past year", ask, state) { answer in
      let days = answer.list("days")
      let most = days.map { OccurrenceDays.total($0) }.max() ?? 0
      let shown = days.compactMap { day -> CalendarPlot.Day? in
        guard let date = CivilDate(day.shown("day")) else { return nil }
        let mark: Tone? = day.whole("failed") ?? 0 > 0 ? .bad : day.whole("missed") ?? 0 > 0 ? .warn : nil
        return CalendarPlot.Day(
          number: date.number, month: date.month, day: date.day,
          level: CalendarView.level(OccurrenceDays.total(day), most),
          mark: mark, title: OccurrenceDays.title(day))
      }
      let plot = CalendarPlot(label: "Occurrences on each day of the past year", days: shown)
      return CardContent(
        note: "occurrences per day; days with failed or missed ticks are framed",
        [
          Card.body([.scroll("Plot of the occurrences", plot.svg)]),
          OccurrenceDays.numbers(days.filter { OccurrenceDays.total($0) > 0 }),
        ])
    }
  }
}
