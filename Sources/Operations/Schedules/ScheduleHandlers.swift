import Engine
import TextCoding
import Scheduling
import ControlAPI
import Postgres
import Cron

/// Commands about schedules and their ticks.
package struct ScheduleHandlers: Sendable {
  let gate: ClaimGate
  let login: ScheduleLogin
  /// Names of the daemon's own schedules, which operators neither replace nor remove.
  let builtIn: Set<String>

  init(gate: ClaimGate, login: ScheduleLogin, builtIn: [BuiltInSchedule]) {
    self.gate = gate
    self.login = login
    self.builtIn = Set(builtIn.map(\.schedule.name))
  }

  package var commands: [Command] {
    [
      Command(
        .scheduleList,
        .read { _, transaction in JSONValue.array(try await ScheduleReading.list(nil, transaction)).json }),
      Command(.scheduleAdd, .change(add)),
      Command(.scheduleRemove, .change(remove)),
      Command(.schedulePause, .change { try await pause($0, $1, true) }),
      Command(.scheduleResume, .change { try await pause($0, $1, false) }),
      Command(.schedulePreview, .read(SchedulePreview.run)),
      Command(.scheduleBackfill, .change(backfill)),
      Command(
        .scheduleBackfillPreview, .read { call, transaction in try await Backfill.preview(call, transaction).json }),
      Command(.occurrences, .read(OccurrenceReading.list)),
      Command(.occurrencesDays, .read(OccurrenceReading.days)),
      Command(.scheduleDays, .read(ScheduleDays.run)),
      Command(.zoneOffsets, .read(ZoneReading.offsets)),
      Command(.auditSchedule, .read(ScheduleReading.audit)),
    ]
  }

  private func add(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let now = try await enter(transaction)
    let schedule = try await ScheduleForm.read(call, now: now, transaction)
    guard !builtIn.contains(schedule.name) else {
      throw CommandError(.refused, rule: "name", "\(schedule.name) is a built-in schedule")
    }
    try await login.check()
    let isThere = try await ScheduleDefinitions.lock(schedule.name, transaction) != nil
    let before = isThere ? try await ScheduleReading.list(schedule.name, transaction).first : nil
    let taken = CommandError(
      .refused, rule: "name", "a schedule named \(schedule.name) already exists: --replace replaces it")
    if isThere {
      guard call.flag("replace") else { throw taken }
      try await ScheduleDefinitions.put(schedule, now: now, transaction)
    } else {
      // A schedule that was added during the wait did not exist to be replaced.
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
    guard !builtIn.contains(schedule.name) else {
      throw CommandError(.refused, rule: "name", "\(schedule.name) is a built-in schedule: pause it")
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

  /// The business time; schedules are not planned, and so not changed, while a clock is wrong.
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

extension ClaimGate {
  /// The business time for a command that plans; throws while a clock is wrong.
  func forChange(_ transaction: Transaction) async throws -> Timestamp {
    guard let now = try admit(try await transaction.query(Self.entry(SchedulePlanner.name))) else {
      throw CommandError(
        .refused, rule: "clock",
        "no ticks are planned until the clocks agree or an operator accepts the database's time")
    }
    return now
  }
}
