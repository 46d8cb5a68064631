import Cron
import Postgres
import TextCoding

/// How many occurrences of a day have each outcome.
struct OccurrenceCounts {
  /// The place of the part of the day, from 1 on.
  let place: Int64
  private(set) var done: Int64 = 0
  private(set) var failed: Int64 = 0
  /// Coalesced ones, and those that a policy skipped because they were too late.
  private(set) var missed: Int64 = 0
  /// Skipped for another reason, such as a removed schedule.
  private(set) var skipped: Int64 = 0
  private(set) var running: Int64 = 0
  private(set) var planned: Int64 = 0

  init(_ row: Row) throws(PostgresError) {
    place = try row["place"]
    done = try row["done"]
    failed = try row["failed"]
    missed = try row["missed"]
    skipped = try row["skipped"]
    running = try row["running"]
    planned = try row["planned"]
  }

  private init() { place = 0 }

  private mutating func add(_ other: OccurrenceCounts) {
    done += other.done
    failed += other.failed
    missed += other.missed
    skipped += other.skipped
    running += other.running
    planned += other.planned
  }

  struct Day {
    let date: String
    fileprivate(set) var counts: OccurrenceCounts

    var json: JSONValue {
      [
        "day": .text(date), "done": .integer(counts.done), "failed": .integer(counts.failed),
        "missed": .integer(counts.missed), "skipped": .integer(counts.skipped), "running": .integer(counts.running),
        "planned": .integer(counts.planned),
      ]
    }
  }

  /// Every date of the parts, in their order, with its counts.
  static func byDate(_ counts: [OccurrenceCounts], _ parts: [LocalDay]) -> [Day] {
    let byPlace = Dictionary(counts.map { ($0.place, $0) }) { first, _ in first }
    var (days, places) = ([Day](), [String: Int]())
    for (index, part) in parts.enumerated() {
      if places[part.date] == nil {
        places[part.date] = days.count
        days.append(Day(date: part.date, counts: OccurrenceCounts()))
      }
      if let place = places[part.date], let found = byPlace[Int64(index + 1)] { days[place].counts.add(found) }
    }
    return days
  }
}
