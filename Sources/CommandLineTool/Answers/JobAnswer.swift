/// A job, as in status.
struct JobAnswer: Decodable {
  let name: String
  let state: String
  let nextDue: String?
  let overdue: Int
  let lastRunAt: String?
  let lastOutcome: String?
  let failing: Int
  let quarantined: Int

  private var colour: Style.Colour? {
    if quarantined > 0 { return .red }
    return failing > 0 || overdue > 0 || state == "paused" ? .yellow : nil
  }

  /// Last runs and next instants are seen from `now`; without one they are instants.
  static func table(_ jobs: [JobAnswer], now: String?) -> Table {
    Table(
      columns: [
        .left("JOB"), .left("STATE"), .left("NEXT DUE"), .right("OVERDUE"), .right("FAILING"),
        .right("QUAR."), .left("LAST RUN", shrinks: true),
      ],
      rows: jobs.map { job in
        func shown(_ instant: String?) -> String {
          now.map { Instants.relative(instant, to: $0) } ?? Instants.text(instant)
        }
        // What went well is a word; what went wrong must not be cut.
        let isShort = job.lastOutcome == "ran"
        return Table.Row(
          [
            job.name, job.state, shown(job.nextDue), count(job.overdue), count(job.failing), count(job.quarantined),
            job.lastRunAt == nil ? "-" : shown(job.lastRunAt) + (isShort ? ": ran" : ""),
          ], detail: isShort ? nil : job.lastOutcome, colour: job.colour)
      })
  }

  private static func count(_ number: Int) -> String {
    number == 0 ? "-" : String(number)
  }
}
