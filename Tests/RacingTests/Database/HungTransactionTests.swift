@testable import Engine
@testable import Operations
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("An app's transaction that hangs", .timeLimit(.minutes(2)))
struct HungTransactionTests {
  /// A runner, and how often one of its batches waited in vain.
  private struct Watched<J: Job>: Sendable {
    let runner: JobRunner<J>
    let waits: @Sendable () -> Int

    init(_ job: J, _ database: SettledDatabase) {
      let counted = CountedWaits()
      var context = database.context { observation in
        if case .contention = observation { counted.add() }
      }
      // Batches that follow the machine's load would make the number of waits follow it too.
      context.batchTarget = .seconds(60)
      runner = JobRunner(job, in: context)
      waits = { counted.value }
    }
  }

  private final class CountedWaits: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  private func settled(_ races: [Int64], _ session: Connection) async throws -> Int64 {
    try await session.query("SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'")
      .one(Int64.self)
  }

  /// Races that share three athletes; the third one's wallet is held.
  private func held(_ races: Int) async throws -> (SettledDatabase, Connection, [Int64], holder: Connection) {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    var herd = Herd(races: races, entries: 3)
    herd.hasVoidRaces = false
    let ids = try await herd.write(owner)
    let holder = try await database.connect()
    try await holder.script("BEGIN; SELECT FROM racing.wallet WHERE athlete_id = 3 FOR NO KEY UPDATE")
    return (database, owner, ids, holder)
  }

  @Test func `a hung transaction with a wallet delays the races that need it, and no others`() async throws {
    let (database, owner, stuck, holder) = try await held(84)
    let free = try await Herd(races: 84, entries: 3).write(owner)
    let settlement = Watched(SettlementJob(), database)
    try await settlement.runner.runAllDue()
    #expect(try await settled(free, owner) == 84)
    #expect(try await settled(stuck, owner) == 0)
    // Batches that grow learn which they are, many at a time; the next batches wait for none of them.
    let waits = settlement.waits()
    #expect(waits < 84 / 4, "\(waits) batches waited")
    for _ in 0..<6 {
      let more = try await Herd(races: 3, entries: 3).write(owner)
      try await settlement.runner.runAllDue()
      #expect(try await settled(more, owner) == 3)
    }
    #expect(settlement.waits() == waits)
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)

    try await holder.script("COMMIT")
    for _ in 0..<60 where try await settled(stuck, owner) < 84 { try await settlement.runner.runAllDue() }
    #expect(try await settled(stuck, owner) == 84)
    #expect(try await Books.differences(owner) == [])
  }

  @Test func `a hung transaction lets others deposit, after one batch at most`() async throws {
    let (database, owner, _, holder) = try await held(8)
    let pid = try await holder.backend()
    let settlement = Watched(SettlementJob(), database)
    let settling = Task { try await settlement.runner.runAllDue() }
    try await owner.untilBlocked(by: pid)
    let app = try await database.connect(.app)
    // Far less than the five seconds of the daemon's other transactions.
    try await app.execute("SET lock_timeout = '3s'")
    _ = try await app.query("SELECT racing.deposit(1, 100, 'meanwhile')")
    _ = try await settling.value
    try await holder.script("COMMIT")
  }

  @Test func `a hung transaction with a race delays the activities of its athletes, and no others`() async throws {
    let day = try await RaceDay()
    var activities: [[Int64]] = []
    var races: [Int64] = []
    for (number, category) in ["senior_men", "masters_men"].enumerated() {
      let race = try await day.course.race(category: category)
      races.append(race)
      var born: [Int64] = []
      for index in 0..<20 {
        let athlete = try await day.course.athlete(
          "Athlete \(number) \(index)", born: number == 0 ? "2003-05-05" : "1980-05-05")
        _ = try await day.course.enter(athlete, race)
        born.append(athlete)
      }
      activities.append(born)
    }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    for (number, athletes) in activities.enumerated() {
      for (index, athlete) in athletes.enumerated() {
        activities[number][index] = try await day.course.outing(athlete, stravaId: Int64(100 * number + index + 1))
      }
    }
    let holder = try await day.course.database.connect()
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(races[0]) FOR NO KEY UPDATE")
    let validation = Watched(ValidationJob(), day.course.database)
    func verified(_ ids: [Int64]) async throws -> Int64 {
      try await day.session.query("SELECT count(*) FROM racing.activity WHERE id = ANY(\(ids)) AND status = 'verified'")
        .one(Int64.self)
    }
    try await validation.runner.runAllDue()
    #expect(try await verified(activities[0]) == 0)
    #expect(try await verified(activities[1]) == 20)
    #expect(validation.waits() < 20 / 4)
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await verified(activities[0]) < 20 { try await validation.runner.runAllDue() }
    #expect(try await verified(activities[0]) == 20)
  }

  @Test func `a hung transaction is ended by a setting of its login, which doctor asks for`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let daemon = try await database.connect(.daemon)
    // Roles are the cluster's: the setting is made for this database alone.
    let logins = { try await daemon.query(AppSessionCheck.logins).decode(String.self) }
    #expect(try await logins().contains("test_app"))
    let name = try await owner.query("SELECT current_database()::text").one(String.self)
    for (value, isAsked) in [("0", true), ("30s", false)] {
      try await owner.execute(
        "ALTER ROLE test_app IN DATABASE \(raw: name) SET idle_in_transaction_session_timeout = '\(raw: value)'")
      #expect(try await logins().contains("test_app") == isAsked)
    }
  }
}
