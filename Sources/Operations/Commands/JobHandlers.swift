package import Engine
import ControlAPI
package import TextCoding
import Postgres

/// Commands about jobs and about items that failed: the same for every module.
package struct JobHandlers: Sendable {
  let report: StatusReport
  let scheduler: Scheduler
  let gate: ClaimGate

  package init(report: StatusReport, scheduler: Scheduler, gate: ClaimGate) {
    self.report = report
    self.scheduler = scheduler
    self.gate = gate
  }

  package var commands: [Command] {
    [
      Command(.jobs, .local { _ in CommandChange(reading: await report.jobs()) }),
      Command(.jobRun, .change(run)),
      Command(.jobPause, .change { try await pause($0, $1, paused: true) }),
      Command(.jobResume, .change { try await pause($0, $1, paused: false) }),
      Command(.next, .read(next)),
    ]
  }

  private func known(_ call: CommandCall) async throws -> (name: String, job: JSONValue) {
    let name = call.text("name") ?? ""
    guard let job = await report.job(name) else {
      throw CommandError(.missing, rule: "job", "there is no job named \(name)")
    }
    return (name, job)
  }

  private func run(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (name, before) = try await known(call)
    if report.schedules.names.contains(name) {
      try await report.schedules.run(name, at: gate.forChange(transaction), transaction)
      let after = try await report.schedules.jobs([name], transaction).first ?? before
      return CommandChange(target: name, before: before.json, after: after.json)
    }
    if try await isPaused(name, transaction) {
      throw CommandError(.refused, rule: "status", "the \(name) job is paused")
    }
    if try await transaction.query(RestoreStatements.stops(name)).one(Bool.self) {
      throw CommandError(
        .refused, rule: "restore",
        "the database was restored: \(name) is stopped until you run settlectl restore accept")
    }
    scheduler.wake()
    return CommandChange(target: name, before: before.json, after: before.json)
  }

  private func pause(_ call: CommandCall, _ transaction: Transaction, paused: Bool) async throws -> CommandChange {
    let (name, job) = try await known(call)
    let before: Bool
    if report.schedules.names.contains(name) {
      before = try await report.schedules.pause(name, paused, at: gate.forChange(transaction), transaction)
    } else {
      before = try await isPaused(name, transaction)
      try await transaction.execute(
        """
        INSERT INTO settled.job (name, paused) VALUES (\(name), \(paused))
        ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
        """)
    }
    try await transaction.execute(Scheduler.wakeUp)
    var answer = job
    if report.schedules.names.contains(name) {
      answer = try await report.schedules.jobs([name], transaction).first ?? job
    } else if case .object(let pairs) = job {
      answer = .object(pairs.map { $0.0 == "state" ? ($0.0, paused ? "paused" : "idle") : $0 })
    }
    return CommandChange(
      target: name, before: JSONValue.object([("paused", .boolean(before))]).json,
      after: JSONValue.object([("paused", .boolean(paused))]).json, answer: answer.json)
  }

  private func isPaused(_ name: String, _ session: some Session) async throws -> Bool {
    try await session.query("SELECT coalesce((SELECT paused FROM settled.job WHERE name = \(name)), false)")
      .one(Bool.self)
  }

  private func next(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? 20
    guard (1...500).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and 500")
    }
    var all: [(Upcoming, String)] = []
    for work in report.allWorks {
      all += try await work.upcoming(transaction, limit: Int(limit)).map { ($0, work.name) }
    }
    let soonest = all.sorted { ($0.0.at, $0.1) < ($1.0.at, $1.1) }.prefix(Int(limit))
    return JSONValue.array(
      soonest.map { upcoming, job in
        [
          "at": .instant(upcoming.at), upcoming.schedule == nil ? "job" : "schedule": .text(upcoming.schedule ?? job),
          "key": .optional(upcoming.key), "count": .integer(upcoming.count),
        ]
      }
    ).json
  }
}

extension CommandChange {
  /// The answer of a command that changes nothing.
  package init(reading answer: JSONValue) {
    self.init(target: "", before: JSONValue.null.json, after: answer.json)
  }
}
