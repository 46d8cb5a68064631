import ControlAPI
import Dashboard
import TextCoding

/// Which members of the answers the screens show: those that change a screen when they change.
enum ShownMembers {
  /// What views look for, so that they find it.
  static let fixed: [String: JSONValue] = [
    "failures.id": 88, "schedule.list.name": "nightly-report", "withdrawal.list.id": 88_001,
    "settings.key": "racing.grace", "status.jobs.name": "activity-streams", "timeline.marks.lane": "schedules",
    "timeline.marks.job": "activity-streams", "lateness.jobs.job": "activity-streams",
    "ledger.days.days.day": "2026-10-24", "occurrences.days.days.day": "2026-10-24",
    "schedule.days.days.day": "2026-10-24", "checkins.status.days.day": "2026-10-24",
    "status.findings.code": "clock", "withdrawal.list.status": "pending",
    "activity.show.points": 51, "activity.show.best.km1.fromMetre": 100, "activity.show.best.km1.toMetre": 1_100,
    "activity.show.best.km5.fromMetre": 100, "activity.show.best.km5.toMetre": 5_100,
  ]

  /// What is null in the other variant, since something else is shown in its place.
  private static let absent: [String: JSONValue] = [
    "race.show.settlement": .null, "schedule.list.cron": .null, "failures.dropped": .null, "next.job": .null,
    "audit.log.user": .null,
  ]

  /// The members that no view shows in either variant, of the commands that views ask.
  static func unshown() -> [String] {
    let second = Set(unshown(fixed.merging(absent) { $1 }))
    return unshown(fixed).filter { path in second.contains(path) || absent.keys.contains { path.hasPrefix($0 + ".") } }
  }

  private static func unshown(_ fixed: [String: JSONValue]) -> [String] {
    let asked = View.all.map { view in
      (view, Set((Screen.named(view.screen)?.parts ?? []).flatMap { $0.asks(Answers.state(view)) }.map(\.command)))
    }
    let samples = Dictionary(
      CommandDescription.all.map { ($0.name, sample($0, fixed).value) }
    ) { first, _ in first }
    var unshown: [String] = []
    for command in CommandDescription.all {
      let views = asked.filter { $0.1.contains(command.name) }.map(\.0)
      guard !views.isEmpty else { continue }
      let before = views.map { Answers(byCommand: samples).html($0, Answers.state($0)) }
      for path in Set(sample(command, fixed).paths).sorted() {
        let changed = samples.merging([command.name: sample(command, fixed, changed: path).value]) { $1 }
        let isShown = zip(views, before).contains { view, html in
          Answers(byCommand: changed).html(view, Answers.state(view)) != html
        }
        if !isShown { unshown.append(path) }
      }
    }
    return unshown
  }

  private static func sample(
    _ command: CommandDescription, _ fixed: [String: JSONValue], changed: String? = nil
  ) -> (value: JSONValue, paths: [String]) {
    var sample = SampleAnswer(count: 2, changed: changed, fixed: fixed)
    let value = sample.value(command.answer, at: command.name)
    return (value, sample.paths)
  }
}
