/// A job, as in status.
struct JobAnswer: ShownAnswer {
  let name: String
  let state: String
  let nextDue: String?
  let overdue: Int
  let lastRunAt: String?
  let lastOutcome: String?
  let failing: Int
  let quarantined: Int
  /// Of a job that counts its items.
  let progress: Progress?

  struct Progress: Decodable {
    let done: Int
    let total: Int

    var text: String { "\(done) of \(total) items done" }
  }

  private var colour: Style.Colour? {
    if quarantined > 0 { return .red }
    return failing > 0 || overdue > 0 || state == "paused" ? .yellow : nil
  }

  /// Last runs and next instants are seen from `now`.
  static func table(_ jobs: [JobAnswer], now: String) -> Table {
    Table(
      columns: [
        .left("JOB", shrinks: true), .left("STATE"), .left("NEXT DUE"), .right("OVERDUE"), .right("FAILING"),
        .right("QUAR."), .left("LAST RUN", shrinks: true),
      ],
      rows: jobs.map { job in
        // A success is a word; a failure has its own line.
        let isShort = job.lastOutcome == "ran"
        return Table.Row(
          [
            job.name, job.state, Instants.relative(job.nextDue, to: now), Counted.dashed(job.overdue),
            Counted.dashed(job.failing),
            Counted.dashed(job.quarantined),
            job.lastRunAt == nil ? "-" : Instants.relative(job.lastRunAt, to: now) + (isShort ? ": ran" : ""),
          ], detail: job.detail(isShort: isShort), colour: job.colour)
      })
  }

  /// One job, with instants: the answer does not contain the daemon's time.
  func text(_ style: Style) -> String {
    let last = [lastRunAt.map { Instants.text($0) }, lastOutcome].compactMap(\.self).joined(separator: ": ")
    return Pairs.text(
      [
        ("job", name), ("state", state), ("next due", Instants.text(nextDue)), ("overdue", Counted.dashed(overdue)),
        ("failing", Counted.dashed(failing)), ("quarantined", Counted.dashed(quarantined)), ("last run", last),
      ] + (progress.map { [("progress", $0.text)] } ?? []), style)
  }

  private func detail(isShort: Bool) -> String? {
    let parts = [progress?.text, isShort ? nil : lastOutcome].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
