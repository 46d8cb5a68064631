import Cron
import Markup
import Plots
import TextCoding

/// The lanes of `timeline`, and the ticks and clock changes of the page's zone.
struct TimelineView {
  private static let rowsMax = 8
  let state: PageState
  let answer: JSONValue
  let from: Instant
  let to: Instant
  /// Calls of a quarter of an hour that the provider allows.
  let callLimit: Int64?

  func svg(marksMax: Int) -> HTML {
    let now = state.now.milliseconds
    let clock = state.zone.local(state.now)
    return LanePlot(
      label: "Timeline from \(state.exactText(from)) to \(state.exactText(to)): past runs and upcoming work",
      span: from.milliseconds...max(from.milliseconds, to.milliseconds), now: (now, clock.time), ticks: ticks,
      changes: changes, lanes: lanes, marksMax: marksMax
    ).svg
  }

  var marks: [JSONValue] { answer.list("marks") }

  /// Each hour or more, on the clocks of the zone; midnights have their day.
  private var ticks: [LanePlot.Tick] {
    let hours = max(1, (to.milliseconds - from.milliseconds) / 3_600_000)
    let step = hours <= 30 ? 1 : hours <= 60 ? 3 : hours <= 100 ? 6 : 12
    var ticks: [LanePlot.Tick] = []
    for hour in 0...min(hours, 240) {
      let start = from.milliseconds + hour * 3_600_000
      // The full local hour at or after it.
      let offset = Int64(state.zone.span(at: Instant(milliseconds: start)).offsetSeconds) * 1_000
      let local = start + offset
      let full = Instant(milliseconds: (local + 3_599_999).floored(to: 3_600_000) - offset)
      let then = state.zone.local(full)
      guard then.hour % step == 0, full <= to, ticks.last?.at != full.milliseconds else { continue }
      let text = then.hour == 0 ? "\(then.day.weekdayName) \(then.day.day)" : PageTime.padded(then.hour, 2)
      ticks.append(LanePlot.Tick(at: full.milliseconds, text: text, isStrong: then.hour == 0))
    }
    return ticks
  }

  private var changes: [LanePlot.Change] { Self.changes(state, from, to) }

  static func changes(_ state: PageState, _ from: Instant, _ to: Instant) -> [LanePlot.Change] {
    state.zone.changes(from: from, to: to).map { change in
      let moved = Int64(change.after.offsetSeconds - change.before.offsetSeconds)
      let shown = PageTime(
        change.at, offsetSeconds: change.after.offsetSeconds, abbreviation: change.after.abbreviation)
      let isHour = abs(moved) == 3_600
      let span = isHour ? "the hour" : Amount.duration(milliseconds: abs(moved) * 1_000)
      let text =
        moved < 0
        ? "↺ clocks go back: \(span) from \(shown.time) \(isHour ? "repeats" : "repeat")"
        : "↻ clocks go forward to \(shown.time): \(span) \(isHour ? "is" : "are") skipped"
      let start = change.at.milliseconds
      return LanePlot.Change(at: start, until: moved < 0 ? start - moved * 1_000 : start, text: text)
    }
  }

  private var lanes: [LanePlot.Lane] {
    [
      LanePlot.Lane("Races", .blocks(drawn("races", .block))),
      LanePlot.Lane("Reviews", .spans(drawn("holds", .block))),
      LanePlot.Lane("Closing days", .dots([LanePlot.Row("", drawn("days", nil))])),
      LanePlot.Lane("SQL", .dots(rows("schedules"))),
      LanePlot.Lane("Jobs", .dots([LanePlot.Row("", drawn("jobs", .dot(weight: 1)))])),
      LanePlot.Lane("Strava calls", .steps(calls, limit: callLimit, text: callLimit.map { "\($0) per 15 min" } ?? "")),
    ]
  }

  /// A row for each of the first eight names, and one for all others.
  private func rows(_ lane: String) -> [LanePlot.Row] {
    let named = Dictionary(grouping: marks.filter { $0.shown("lane") == lane }) { $0.shown("job") }
    let names = named.keys.sorted()
    var rows = names.prefix(Self.rowsMax).map { name in
      LanePlot.Row(name.cut(16).isolated, (named[name] ?? []).map { drawn($0, .dot(weight: 1)) })
    }
    let others = names.dropFirst(Self.rowsMax).flatMap { named[$0] ?? [] }
    if !others.isEmpty { rows.append(LanePlot.Row("others", others.map { drawn($0, .dot(weight: 1)) })) }
    return rows.isEmpty ? [LanePlot.Row("", [])] : rows
  }

  private var calls: [LanePlot.Step] {
    marks.filter { $0.shown("lane") == "calls" }.compactMap { mark in
      mark.instant("at").map {
        LanePlot.Step(at: $0.milliseconds, value: mark.whole("count") ?? 0, isFuture: $0 > state.now)
      }
    }
  }

  /// `shape` nil: a dot by its count.
  private func drawn(_ lane: String, _ shape: LanePlot.Mark.Shape?) -> [LanePlot.Mark] {
    marks.filter { $0.shown("lane") == lane }.map { drawn($0, shape) }
  }

  private func drawn(_ mark: JSONValue, _ shape: LanePlot.Mark.Shape?) -> LanePlot.Mark {
    let (outcome, count) = (mark.shown("outcome"), mark.whole("count") ?? 1)
    let lane = mark.shown("lane")
    let isFailed = outcome == "failed"
    let at = mark.instant("at") ?? Instant(milliseconds: 0)
    let tone: Tone =
      switch outcome {
      case "failed": .bad
      case "missed", "skipped": .held
      case "held": .held
      default: lane == "races" ? .good : lane == "holds" ? .light : .accent
      }
    return LanePlot.Mark(
      at: at.milliseconds, until: mark.instant("until")?.milliseconds, title: title(mark, at),
      labels: labels(mark, count),
      tone: tone, isHollow: outcome == "pending" && lane != "holds",
      shape: isFailed && lane != "holds" ? .triangle : shape ?? .dot(weight: count))
  }

  private func labels(_ mark: JSONValue, _ count: Int64) -> [String] {
    switch mark.shown("lane") {
    case "races":
      let key = mark.shown("key")
      let head = key.isEmpty ? "\(Amount.counted(count, "race", "races")) \(word(mark))" : "race \(key) \(word(mark))"
      return [head.cut(24).isolated, mark.pounds("pence")].filter { !$0.isEmpty }
    case "holds": return ["\(mark.shown("key")) \(mark.shown("note"))".cut(60).isolated]
    case "days": return [Amount.counted(count, "person", "people")]
    default: return []
    }
  }

  private func word(_ mark: JSONValue) -> String {
    switch mark.shown("outcome") {
    case "done": "settled"
    case "pending": "due"
    case let other: other
    }
  }

  private func title(_ mark: JSONValue, _ at: Instant) -> String {
    var parts = [
      state.exactText(at), "\(mark.shown("job")) \(mark.shown("key"))".cut(60).isolated, mark.shown("outcome"),
    ]
    if let count = mark.whole("count"), count != 1 { parts.append("\(Amount.grouped(count)) in total") }
    parts.append(mark.pounds("pence"))
    if let late = mark.whole("latenessMs") { parts.append("\(Amount.duration(milliseconds: late)) late") }
    parts.append(mark.shown("note").cut(80).isolated)
    return parts.filter { !$0.isEmpty && $0 != " " }.joined(separator: ", ")
  }
}
