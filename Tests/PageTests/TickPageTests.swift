import Engine
import Foundation
import Postgres
import Cron
import TestSupport
import Testing

/// The pages' examples of ticks, computed again.
@Suite("Pages of schedules") struct TickPageTests {
  private static func seconds(_ instant: String) throws -> Int64 {
    Int64(try Date(instant, strategy: .iso8601).timeIntervalSince1970)
  }

  /// Each row has an expression, an instant, and the ticks that follow; some have the notes of these.
  private func check(_ rows: [RulePage.Row], _ offsets: ZoneOffsets) throws {
    for row in rows {
      let ticks = Ticks(.cron(try CronExpression(row.text("expression"))), offsets)
      let wanted = try row.list("ticks").map(Self.seconds)
      let from = try Self.seconds(row.text("from"))
      let found = ticks.first(wanted.count, after: from, through: from + 10 * 366 * 86_400)
      #expect(found.map(\.instant) == wanted, "\(row)")
      if let notes = try? row.text("notes") {
        #expect(found.map { $0.note?.rawValue ?? "none" }.joined(separator: ", ") == notes, "\(row)")
      }
    }
    #expect(!rows.isEmpty)
  }

  @Test func `documented ticks of expressions match the code`() throws {
    try check(try RulePage("Cron.docc/Expressions.md").rows("Worked expressions"), .utc)
  }

  @Test func `documented ticks in gaps and folds match the code`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let spans = try await session.query(
      "SELECT start, seconds FROM settled.zone_offsets('Europe/London', '2031-01-01Z', '2032-01-01Z')"
    ).decode(Int64.self, Int64.self)
    let offsets = ZoneOffsets(
      spans.map { ZoneOffsets.Span(start: $0, offset: $1) }, end: try Self.seconds("2032-01-01T00:00:00Z"))
    try check(try RulePage("Cron.docc/ClockChanges.md").rows("Worked changes"), offsets)
  }

  @Test func `documented handling of missed ticks matches the code`() throws {
    for row in try RulePage("Cron.docc/MissedTicks.md").rows("Worked example") {
      let policy: MissedPolicy =
        switch try row.text("policy") {
        case "skip": .skip
        case "once": .once
        default:
          .all(max: Int(try row.integer("max")), within: .seconds(3600 * (Int(try row.text("within").dropLast()) ?? 0)))
        }
      let plan = Plan(
        Ticks(.cron(try CronExpression("0 * * * *")), .utc), missed: policy, after: 0,
        now: try Self.minute(row.text("now")) * 60_000_000)
      for (column, status) in [("runs", PlannedTick.Status.planned), ("skipped", .skipped), ("coalesced", .coalesced)] {
        let wanted = try row.list(column).map { try Self.minute($0) * 60 }
        #expect(plan.ticks.filter { $0.status == status }.map(\.tick.instant) == wanted, "\(column) of \(row)")
      }
    }
  }

  private static func minute(_ time: String) throws -> Int64 {
    let parts = time.split(separator: ":").compactMap { Int64($0) }
    return try #require(parts.first) * 60 + #require(parts.last)
  }

  @Test func `documented retries of a failing item match the code, five attempts in all`() throws {
    let rows = try RulePage("Engine.docc/Failures.md").rows("Attempts and pauses")
    let policy = RetryPolicy()
    #expect(rows.count == policy.attemptsMax)
    for row in rows {
      let attempt = Int(try row.integer("failure"))
      let pause = policy.backoff.delay(afterAttempts: attempt).components.seconds
      let wanted = attempt == policy.attemptsMax ? "quarantined: no further attempt" : "\(pause) s"
      #expect(try row.text("pause before the next attempt") == wanted)
    }
  }
}
