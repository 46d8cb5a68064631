import ControlAPI
import Engine
import Postgres
import TextCoding

/// Commands that show past and future work over time: the lanes of all modules.
package struct TimelineHandlers: Sendable {
  private let sources: [TimelineSource]

  private static let daysMax: Int64 = 8
  /// More marks are counted, by the shortest of these spans, in seconds, that gives at most `countedMax`.
  private static let marksMax = 2000
  private static let bins: [Int64] = [900, 3600, 14_400, 86_400, 691_200]
  private static let countedMax = 10_000

  /// `sources` are the modules'.
  package init(_ sources: [TimelineSource]) {
    self.sources = sources + ScheduleTimeline.sources
  }

  package var commands: [Command] {
    [Command(.timeline, .read(timeline)), Command(.lateness, .read(lateness))]
  }

  private func timeline(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let range = try await InstantRange.read(call, daysMax: Self.daysMax, transaction)
    let now = try await BusinessClock.read(transaction)
    var marks = try await marks(range, by: nil, limit: Self.marksMax, transaction)
    var bin: Int64?
    if marks.count > Self.marksMax {
      for wider in Self.bins {
        bin = wider
        marks = try await self.marks(range, by: wider, limit: Self.countedMax, transaction)
        if marks.count <= Self.countedMax { break }
      }
      guard marks.count <= Self.countedMax else {
        throw CommandError(.refused, rule: "marks", "more than \(Self.countedMax) marks: use a shorter range")
      }
    }
    let shown = marks.sorted {
      ($0.at, $0.lane.rawValue, $0.job, $0.key ?? "") < ($1.at, $1.lane.rawValue, $1.job, $1.key ?? "")
    }
    return JSONValue.object([
      ("from", .instant(range.from)), ("to", .instant(range.to)), ("now", .instant(now)),
      ("countedBySeconds", bin.map { .integer($0) } ?? .null), ("marks", .array(shown.map(\.json))),
    ]).json
  }

  /// All marks, or those of each `bin` of seconds as one for each job and outcome.
  ///
  /// More than `limit` means that there are too many, and not all are returned.
  private func marks(
    _ range: InstantRange, by bin: Int64?, limit: Int, _ transaction: Transaction
  ) async throws -> [TimelineMark] {
    var marks: [TimelineMark] = []
    for source in sources where marks.count <= limit {
      let (inner, rest) = (source.marks(range), Int64(limit - marks.count + 1))
      let statement =
        bin.map { TimelineStatements.counted(inner, by: $0, limit: rest) }
        ?? TimelineStatements.marks(inner, limit: rest)
      marks += try await transaction.query(statement).decodeAll { row in try TimelineMark(row, source.lane) }
    }
    guard marks.count <= limit else { return marks }
    return marks + (try await ScheduleTimeline.ticks(range, by: bin, limit: limit - marks.count, transaction))
  }

  private func lateness(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let range = try await InstantRange.read(call, daysMax: Self.daysMax, transaction)
    var jobs: [JobLateness] = []
    for source in sources {
      jobs += try await transaction.query(TimelineStatements.lateness(source.marks(range)))
        .decodeAll(as: JobLateness.init)
    }
    return JSONValue.object([("jobs", .array(jobs.sorted { $0.job < $1.job }.map(\.json)))]).json
  }
}
