import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A race of 10,000 entries", .timeLimit(.minutes(5)), .serialized)
struct LargeRaceTests {
  private struct Run {
    let statements: Int
    let serverTime: Duration
    let elapsed: Duration
  }

  /// Settles one race of so many entries, and says how long the server worked on it.
  private func settle(_ entries: Int, isVoid: Bool) async throws -> Run {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    var herd = Herd(races: 1, entries: entries)
    herd.hasVoidRaces = false
    let race = try await herd.write(owner)[0]
    if isVoid { try await owner.execute("UPDATE racing.race SET type = 'fastest_5km'") }
    let counter = StatementCounter()
    var options = database.options(.daemon)
    options.beforeStatement = counter.count
    let pool = Pool(options: options, size: 1, waitTimeout: .seconds(10), maximumWaiters: 10)
    let backend = try await pool.withConnection { try await $0.backend() }
    let before = try serverTime(backend)
    let start = ContinuousClock.now
    // Another lane would look for other races meanwhile.
    var context = database.context(pool)
    context.lanes = 1
    try await JobRunner(SettlementJob(), in: context).runAllDue()
    let elapsed = start.duration(to: .now)
    let worked = try serverTime(backend) - before
    #expect(
      try await owner.query("SELECT outcome FROM racing.settlement WHERE race_id = \(race)").one(String.self)
        == (isVoid ? "void" : "paid"))
    #expect(try await Books.differences(owner) == [])
    return Run(statements: counter.value, serverTime: worked, elapsed: elapsed)
  }

  /// The processor time of a server process, in clock ticks of 10 ms.
  private func serverTime(_ backend: Int32) throws -> Duration {
    let fields =
      try String(contentsOfFile: "/proc/\(backend)/stat", encoding: .utf8)
      .split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = try [11, 12].map { try #require(Int(fields[$0])) }.reduce(0, +)
    return .milliseconds(10 * ticks)
  }

  @Test(arguments: [false, true])
  func `the settlement of 10,000 entries takes time in proportion, not its square`(isVoid: Bool) async throws {
    let small = try await settle(2500, isVoid: isVoid)
    let large = try await settle(10_000, isVoid: isVoid)
    print(
      "10,000 entries, \(isVoid ? "void" : "paid"): \(large.elapsed), server \(large.serverTime);",
      "2,500: \(small.elapsed), server \(small.serverTime)")
    #expect(large.statements == small.statements)
    // Four times the work, with room for sorting and for ticks; the square would be sixteen times.
    #expect(large.serverTime < max(small.serverTime, .milliseconds(50)) * 10)
  }
}
