import Engine
import TextCoding
import Scheduling
import Postgres
import Cron

/// When a cron expression would tick.
enum SchedulePreview {
  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let count = call.integer("count") ?? 10
    guard (1...1000).contains(count) else {
      throw CommandError(.usage, rule: "count", "count must be between 1 and 1000")
    }
    let cron = try ScheduleForm.expression(call.text("cron") ?? "")
    let zone = call.text("zone") ?? "UTC"
    try await ScheduleForm.check(zone: zone, transaction)
    let given = try await EngineHandlers.instant(call.text("from"), rule: "from", transaction)
    var from = given?.beforeSecond
    if from == nil { from = try await BusinessClock.read(transaction).wholeSecond }
    var ticks: [Tick] = []
    for horizon in Zones.horizons where ticks.count < count {
      let start = from ?? 0
      let offsets = try await Zones.offsets(zone, from: start, through: start + horizon, transaction)
      ticks = Ticks(.cron(cron), offsets).first(Int(count), after: start, through: start + horizon)
    }
    let isCut = ticks.count < count
    return JSONValue.array(
      ticks.enumerated().map { index, tick in
        [
          "localTime": .text(tick.local.description), "instant": .instant(Timestamp(second: tick.instant)),
          "note": .optional(isCut && index == ticks.count - 1 ? "last" : tick.note?.rawValue),
        ]
      }
    ).json
  }
}
