import Postgres
import Schedules

/// Commands about schedules and their ticks.
package struct ScheduleCommands: Sendable {
  let gate: Gate
  let operators: OperatorRun
  /// Names of the daemon's own schedules, which operators neither replace nor remove.
  let own: Set<String>

  package init(gate: Gate, operators: OperatorRun, own: [InternalSchedule]) {
    self.gate = gate
    self.operators = operators
    self.own = Set(own.map(\.schedule.name))
  }

  package var commands: [Command] {
    let name = Command.Parameter("name", .text, required: true, "The schedule.")
    let from = Command.Parameter("from", .text, required: true, "From this instant on.")
    let to = Command.Parameter("to", .text, required: true, "Up to this instant, which is not included.")
    return [
      Command(
        "schedule.list", "/v1/schedules", level: .read, summary: "The schedules.",
        effect: .read { _, transaction in JSONValue.array(try await ScheduleReading.list(nil, transaction)).json }),
      Command(
        "schedule.add", "/v1/schedules", post: true, level: .admin, summary: "Call a function on a schedule.",
        parameters: [name] + Self.definition, effect: .change(add)),
      Command(
        "schedule.remove", "/v1/schedules/{name}/remove", post: true, level: .admin,
        summary: "Remove a schedule; its occurrences stay.", parameters: [name], effect: .change(remove)),
      Command(
        "schedule.pause", "/v1/schedules/{name}/pause", post: true, level: .operate,
        summary: "Let a schedule have no ticks.", parameters: [name],
        effect: .change { try await pause($0, $1, true) }),
      Command(
        "schedule.resume", "/v1/schedules/{name}/resume", post: true, level: .operate,
        summary: "Let a schedule tick again from now on.", parameters: [name],
        effect: .change { try await pause($0, $1, false) }),
      Command(
        "schedule.preview", "/v1/schedules/preview", level: .read, summary: "When a cron expression would tick.",
        parameters: [
          Command.Parameter("cron", .text, required: true, "The expression."),
          Command.Parameter("zone", .text, "Its time zone, by default UTC."),
          Command.Parameter("from", .text, "Ticks after this instant, by default now."),
          Command.Parameter("count", .integer, "How many: 1 to 1000, by default 10."),
        ], effect: .read(SchedulePreview.run)),
      Command(
        "schedule.backfill", "/v1/schedules/{name}/backfill", post: true, level: .admin,
        summary: "Run the past ticks that have no occurrence.", parameters: [name, from, to],
        effect: .change(backfill)),
      Command(
        "schedule.backfill.preview", "/v1/schedules/{name}/backfill", level: .read,
        summary: "The past ticks that have no occurrence.", parameters: [name, from, to],
        effect: .read { call, transaction in try await Backfill.preview(call, transaction).json }, isHeavy: true),
      Command(
        "occurrences", "/v1/occurrences", level: .read, summary: "What became of ticks, newest first.",
        parameters: [
          Command.Parameter("name", .text, "Only of this schedule."),
          Command.Parameter("from", .text, "Only from this instant on."),
          Command.Parameter("to", .text, "Only before this instant."),
          Command.Parameter("status", .text, "Only planned, running, ran, skipped, coalesced or failed ones."),
          Command.Parameter("limit", .integer, "How many: 1 to 100000, by default 50."),
        ], effect: .read(ScheduleReading.occurrences), isHeavy: true),
      Command(
        "audit.schedule", "/v1/audit/schedule", level: .read,
        summary: "Whether every tick has its occurrence, and every occurrence its tick.",
        parameters: [
          Command.Parameter("from", .text, "From this instant on, by default all that is kept."),
          Command.Parameter("to", .text, "Before this instant, by default now."),
          Command.Parameter("schedule", .text, "Only of this schedule."),
        ], effect: .read(ScheduleReading.audit), isHeavy: true),
    ]
  }

  private static let definition = [
    Command.Parameter("cron", .text, "A cron expression of five fields, or six with seconds first."),
    Command.Parameter("zone", .text, "Its time zone, by default UTC."),
    Command.Parameter("at", .text, "Instead of cron: the one instant."),
    Command.Parameter("call", .text, required: true, "The function: schema.function, without arguments."),
    Command.Parameter("missed", .text, "What becomes of missed ticks: skip, once or all; by default once."),
    Command.Parameter("max", .integer, "With all: how many of the latest run, 1 to 100000."),
    Command.Parameter("within", .text, "With all: how old they may be."),
    Command.Parameter("timeout", .text, "How long a run may take, by default 5m."),
    Command.Parameter("splay", .text, "Runs wait a stable part of this, by default 0."),
    Command.Parameter("replace", .boolean, "Whether a schedule of this name may be there already."),
  ]

  private func add(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let now = try await enter(transaction)
    let schedule = try await ScheduleForm.read(call, now: now, transaction)
    guard !own.contains(schedule.name) else {
      throw CommandError(.refused, rule: "name", "\(schedule.name) is a schedule of the daemon itself")
    }
    try await operators.check()
    let isThere = try await ScheduleDefinitions.lock(schedule.name, transaction) != nil
    let before = isThere ? try await ScheduleReading.list(schedule.name, transaction).first : nil
    let taken = CommandError(
      .refused, rule: "name", "there is a schedule named \(schedule.name): --replace replaces it")
    if isThere {
      guard call.flag("replace") else { throw taken }
      try await ScheduleDefinitions.put(schedule, now: now, transaction)
    } else {
      // One that somebody added while this one waited was not there to be replaced.
      guard try await ScheduleDefinitions.add(schedule, now: now, transaction) else { throw taken }
    }
    if before != nil {
      try await ScheduleDefinitions.skipPlanned(
        of: schedule.name, because: "the schedule was replaced", now: now, transaction)
    }
    return try await change(schedule.name, before, transaction)
  }

  private func remove(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let now = try await enter(transaction)
    let (schedule, before) = try await Self.known(call, transaction)
    guard !own.contains(schedule.name) else {
      throw CommandError(.refused, rule: "name", "\(schedule.name) is a schedule of the daemon itself: pause it")
    }
    try await ScheduleDefinitions.remove(schedule.name, now: now, transaction)
    return CommandChange(
      target: schedule.name, before: before.json, after: JSONValue.null.json, answer: before.json)
  }

  private func pause(_ call: CommandCall, _ transaction: Transaction, _ paused: Bool) async throws -> CommandChange {
    let now = try await enter(transaction)
    let (schedule, before) = try await Self.known(call, transaction)
    try await ScheduleDefinitions.pause(schedule, paused, now: now, transaction)
    return try await change(schedule.name, before, transaction)
  }

  private func backfill(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let answer = try await Backfill.run(call, gate: gate, transaction)
    return CommandChange(target: call.text("name") ?? "", before: JSONValue.null.json, after: answer.json)
  }

  private func change(
    _ name: String, _ before: JSONValue?, _ transaction: Transaction
  ) async throws -> CommandChange {
    let after = try await ScheduleReading.list(name, transaction).first ?? .null
    return CommandChange(target: name, before: (before ?? .null).json, after: after.json)
  }

  /// The business time; schedules are not planned, and so not changed, while a clock is held for wrong.
  private func enter(_ transaction: Transaction) async throws -> Timestamp {
    try await gate.forChange(transaction)
  }

  /// The schedule, locked.
  static func known(_ call: CommandCall, _ transaction: Transaction) async throws -> (Schedule, JSONValue) {
    let name = call.text("name") ?? ""
    guard let schedule = try await ScheduleDefinitions.lock(name, transaction),
      let json = try await ScheduleReading.list(name, transaction).first
    else { throw unknown(name) }
    return (schedule, json)
  }

  static func unknown(_ name: String) -> CommandError {
    CommandError(.missing, rule: "schedule", "there is no schedule named \(name)")
  }
}

extension Gate {
  /// The business time for a command that plans; throws where a clock is held for wrong.
  func forChange(_ transaction: Transaction) async throws -> Timestamp {
    guard let now = try admit(try await transaction.query(Self.entry(SchedulePlanner.name))) else {
      throw CommandError(.refused, rule: "clock", "no schedule is planned until the clocks agree or it is accepted")
    }
    return now
  }
}
