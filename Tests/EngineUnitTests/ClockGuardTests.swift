import Engine
import Postgres
import TestSupport
import Testing

@Suite("The clock guard")
struct ClockGuardTests {
  private let start = Timestamp(microseconds: 1_900_000_000_000_000)

  private func baseline() -> ClockBaseline {
    ClockBaseline(bootId: "a", boot: .seconds(1000), database: start)
  }

  private func reading(after elapsed: Duration, databaseAhead jump: Duration) throws -> ClockReading {
    let database = try #require(start.advanced(by: elapsed + jump))
    return ClockReading(database: database, boot: .seconds(1000) + elapsed, host: database)
  }

  @Test(arguments: [(0, 0), (3600, 0), (10, 7200), (10, -7200), (86_400, 601)])
  func `the clock guard measures a jump by the database's time against the time since boot`(elapsed: Int, jump: Int)
    throws
  {
    let reading = try reading(after: .seconds(elapsed), databaseAhead: .seconds(jump))
    #expect(baseline().jump(to: reading) == .seconds(jump))
  }

  @Test func `the clock guard accepts half a second an hour as drift, and takes ten seconds as a step`() throws {
    let slow = try reading(after: .seconds(3600), databaseAhead: .milliseconds(500))
    #expect(baseline().isDrift(baseline().jump(to: slow), at: slow))
    let step = try reading(after: .seconds(3600), databaseAhead: .seconds(10))
    #expect(!baseline().isDrift(baseline().jump(to: step), at: step))
  }
}
