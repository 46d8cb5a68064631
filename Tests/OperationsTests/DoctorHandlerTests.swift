import ControlAPI
import Engine
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Operations

/// `doctor` with a few checks, asked as the daemon's dispatcher asks it.
struct DoctorFixture {
  let database: SettledDatabase

  func rows(_ checks: [Check], _ time: Timekeeper) async throws -> [JSONValue] {
    let reads = HeavyReads(everybody: database.pool(size: 1), admins: database.pool(size: 1))
    let doctor = DoctorHandler(checks: checks, heavy: reads, time: time, local: { [] }).command
    let dispatcher = CommandDispatcher([doctor], pool: database.pool(), node: "test", heavy: reads)
    let call = CommandCall(caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil, values: [:])
    return try JSONValue(try await dispatcher.run(doctor, call)).elements
  }
}

@Suite("doctor on a slow database") struct DoctorHandlerTests {
  private let database: SettledDatabase

  init() async throws { database = try await SettledDatabase.real() }

  @Test func `doctor reports its other findings although a table is locked`() async throws {
    let other = try await database.connect()
    try await other.execute("BEGIN")
    try await other.execute("LOCK TABLE settled.failure")
    let rows = try await DoctorFixture(database: database).rows(
      EngineChecks.checks.filter { ["restore", "quarantine", "time zones"].contains($0.name) }, TestTime.host)
    #expect(rows.map { $0["check"]?.text } == ["restore", "quarantine", "time zones", "database"])
    #expect(rows.map { $0["ok"] == true } == [true, false, true, true])
    #expect(rows[1]["finding"]?.text?.contains("lock timeout") == true)
    try await other.execute("ROLLBACK")
  }

  @Test func `doctor names the checks for which no time was left`() async throws {
    let time = SteppingTime()
    let checks = (1...5).map { number in
      Check("check \(number)") { _ in
        time.advance(.seconds(16))
        return .init("fine")
      }
    }
    let rows = try await DoctorFixture(database: database).rows(checks, time.timekeeper)
    #expect(rows.map { $0["check"]?.text } == ["check 1", "check 2", "time"])
    #expect(rows[2]["finding"]?.text?.hasSuffix("skipped: check 3, check 4, check 5") == true)
  }
}
