import ControlAPI
import Engine
import Postgres
import TextCoding

/// Commands that show what happened and what will, in time: the lanes of all modules.
package struct TimelineHandlers: Sendable {
  private let sources: [TimelineSource]

  private static let daysMax: Int64 = 8
  /// More are counted by quarters of an hour.
  private static let marksMax = 2000
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
    var marks = try await marks(range, isCounted: false, limit: Self.marksMax, transaction)
    let isCounted = marks.count > Self.marksMax
    if isCounted { marks = try await self.marks(range, isCounted: true, limit: Self.countedMax, transaction) }
    let shown = marks.sorted {
      ($0.at, $0.lane.rawValue, $0.job, $0.key ?? "") < ($1.at, $1.lane.rawValue, $1.job, $1.key ?? "")
    }
    return JSONValue.object([
      ("from", .instant(range.from)), ("to", .instant(range.to)), ("now", .instant(now)),
      ("countedBySeconds", isCounted ? 900 : .null),
      ("marks", .array(shown.prefix(Self.countedMax).map(\.json))),
    ]).json
  }

  /// At most `limit` and one, or counted ones of that many for each source.
  private func marks(
    _ range: InstantRange, isCounted: Bool, limit: Int, _ transaction: Transaction
  ) async throws -> [TimelineMark] {
    var marks: [TimelineMark] = []
    for source in sources where isCounted || marks.count <= limit {
      let inner = source.marks(range)
      let statement =
        isCounted
        ? TimelineStatements.counted(inner, limit: Int64(limit))
        : TimelineStatements.marks(inner, limit: Int64(limit - marks.count + 1))
      marks += try await transaction.query(statement).decodeAll { row in try TimelineMark(row, source.lane) }
    }
    guard isCounted || marks.count <= limit else { return marks }
    return marks + (try await ScheduleTimeline.ticks(range, isCounted: isCounted, limit: limit, transaction))
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
