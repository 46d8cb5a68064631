import Cron
import Engine
import Postgres
import Scheduling
import TextCoding

/// The ticks of a cron expression, counted by day.
enum ScheduleDays {
  private static let daysMax: Int64 = 400

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let cron = try ScheduleForm.expression(call.text("cron") ?? "")
    let zone = call.text("zone") ?? "UTC"
    try await ScheduleForm.check(zone: zone, transaction)
    let range = try await InstantRange.read(call, daysMax: daysMax, transaction)
    let (low, high) = (range.from.nextSecond, range.to.nextSecond)
    let offsets = try await Zones.offsets(zone, from: low, through: high, transaction)
    return JSONValue.object([("days", .array(days(cron, offsets, from: low, to: high)))]).json
  }

  private static func days(_ cron: CronExpression, _ offsets: ZoneOffsets, from low: Int64, to high: Int64)
    -> [JSONValue]
  {
    var (dates, counts) = ([String](), [String: TickCount]())
    for part in offsets.days(from: low, to: high) {
      if counts[part.date] == nil { dates.append(part.date) }
      counts[part.date, default: TickCount()].add(offsets.count(cron, from: part.start, to: part.end))
    }
    return dates.map { json($0, counts[$0] ?? TickCount()) }
  }

  private static func json(_ date: String, _ count: TickCount) -> JSONValue {
    [
      "day": .text(date), "ticks": .integer(count.ticks),
      "first": .instant(count.first.map { Timestamp(second: $0) }),
      "last": .instant(count.last.map { Timestamp(second: $0) }),
      "gaps": .integer(count.gaps), "folds": .integer(count.folds),
    ]
  }
}

extension Timestamp {
  /// The first whole second at or after this instant.
  var nextSecond: Int64 { beforeSecond + 1 }
}
