import ControlAPI
import Markup
import Plots
import TextCoding

extension Part {
  static let jobs = Part("jobs", width: .twoThirds, watches: [everyMinute, "command.*"]) { state in
    [.status, state.timelineAsk, state.latenessAsk]
  } body: { state, replies in
    replies.card("Jobs", .status, state) { answer in
      let marks = Dictionary(grouping: replies[state.timelineAsk]?.answer?.list("marks") ?? []) { $0.shown("job") }
      let late = Dictionary(
        (replies[state.latenessAsk]?.answer?.list("jobs") ?? []).map { ($0.shown("job"), $0) }
      ) { first, _ in first }
      let jobs = answer.list("jobs")
      // The column stands only where a job is overdue: there is little room.
      let isOverdue = jobs.contains { ($0.whole("overdue") ?? 0) != 0 }
      let rows = jobs.map { job -> [PageTable.Cell] in
        let name = job.shown("name")
        let overdue = job.whole("overdue") ?? 0
        return [
          .html(.link(["overview"], query: [("job", name.cut(100))], [.cut(name)])),
          .html(StateText.html(job.shown("state"))),
          .html(state.brief(job.instant("nextDue"))),
        ] + (isOverdue ? [.text(overdue == 0 ? "" : Amount.grouped(overdue), "warn")] : []) + [
          .html(state.precise(job.instant("lastRunAt")), "muted"), .html(outcome(job)),
          .html(spark(marks[name] ?? [], state, name)),
          .text(late[name].map { $0.count("count") } ?? ""),
          .text(late[name]?.whole("p99Ms").map { Amount.duration(milliseconds: $0) } ?? ""),
        ]
      }
      let columns: [PageTable.Column] =
        [.text("job"), .text("state"), .number("next due")] + (isOverdue ? [.number("overdue")] : [])
        + [.number("last run"), .text("outcome"), .text("24 h"), .number("runs"), .number("p99")]
      return CardContent(
        note: "p99: delay between due time and start, last 24 h",
        [PageTable(label: "Jobs", columns: columns, rows: rows, isList: true).html(orElse: "There are no jobs.")])
    }
  }

  private static func outcome(_ job: JSONValue) -> HTML {
    if let count = job.whole("quarantined"), count > 0 {
      return .link(["failures"], [StateText.html("\(Amount.grouped(count)) quarantined", "▲", .bad)])
    }
    if let count = job.whole("failing"), count > 0 {
      return .link(["failures"], [StateText.html("\(Amount.grouped(count)) failing", "▲", .warn)])
    }
    if let progress = job.object("progress"), let done = progress.whole("done"), let total = progress.whole("total"),
      total > 0, done < total
    {
      return StateText.html("\(Amount.grouped(done)) of \(Amount.grouped(total))", "▸", .accent)
    }
    return .cut(job.shown("lastOutcome").cut(60))
  }

  /// What the job did in each of the last 24 hours.
  private static func spark(_ marks: [JSONValue], _ state: PageState, _ name: String) -> HTML {
    var hours = [Int64](repeating: 0, count: 24)
    for mark in marks {
      guard let at = mark.instant("at"), at <= state.now else { continue }
      let hour = (at.milliseconds - state.twoDays.from.milliseconds) / 3_600_000
      if (0..<24).contains(hour) { hours[Int(hour)] &+= max(0, mark.whole("count") ?? 1) }
    }
    guard hours.contains(where: { $0 > 0 }) else { return HTML() }
    let sum = hours.reduce(0, &+)
    return Sparkline.svg(hours, tone: .light, label: "\(name.cut(60).isolated): \(Amount.grouped(sum)) in 24 hours")
  }

  /// The job that the query names, with what may be done to it.
  static let oneJob = Part("job", watches: ["command.*"]) { state in
    state.query["job"] == nil ? [] : [.status]
  } body: { state, replies in
    guard let name = state.query["job"] else { return HTML() }
    let job = replies[.status]?.answer?.list("jobs").first { $0.shown("name") == name }
    guard let job else { return replies.card("Job", .status, state) { _ in CardContent([.none("No such job.")]) } }
    let isPaused = job.shown("state") == "paused"
    var move = ChangeDialog(
      isPaused ? .jobResume : .jobPause, ["name": .text(name)], id: "job-state", label: isPaused ? "Resume" : "Pause")
    move.before = StateText.html(job.shown("state"))
    move.after = .text(
      isPaused ? "The job runs on all nodes." : "The job does not run on any node until it is resumed.")
    move.tone = isPaused ? "good" : "warn"
    var run = ChangeDialog(.jobRun, ["name": .text(name)], id: "job-run", label: "Run now")
    run.before = .joined([.text("next due "), state.exact(job.instant("nextDue"))])
    run.after = .text("The job checks for due items now.")
    return Card.html(
      "Job \(name.cut(100))", classes: "job",
      [
        Facts.html([
          ("state", StateText.html(job.shown("state"))), ("next due", state.exact(job.instant("nextDue"))),
          ("overdue", .text(job.count("overdue"))), ("last run", state.exact(job.instant("lastRunAt"))),
          ("outcome", .cut(job.shown("lastOutcome"))), ("failing", .text(job.count("failing"))),
          ("quarantined", .text(job.count("quarantined"))),
          ("done", .text(job.object("progress").map { "\($0.count("done")) of \($0.count("total"))" } ?? "")),
        ]), .tag("div", "act", [move.html(state), run.html(state)]),
      ])
  }
}
