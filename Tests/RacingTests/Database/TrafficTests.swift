import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("Settlement under traffic", .timeLimit(.minutes(3)))
struct TrafficTests {
  /// Runs `body` again and again with a session of its own, until told to stop; returns how often.
  private static func traffic(
    _ database: SettledDatabase, _ stop: StopFlag, _ body: @escaping @Sendable (Connection, Int64) async throws -> Void
  ) -> Task<Int64, any Error> {
    Task {
      let session = try await database.connect()
      var round: Int64 = 0
      while !stop.isRequested {
        round += 1
        try await body(session, round)
      }
      await session.close()
      return round
    }
  }

  @Test func `two settling sessions beside deposits and entries have no deadlock and right books`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await Herd(races: 300, entries: 30, athletes: 60).write(owner)
    let open = try await owner.query(
      """
      SELECT racing.create_race('top_speed', 'daily', 'senior_men', settled.clock() + n * interval '1 min',
        settled.clock() + interval '1 day') FROM generate_series(1, 300) AS n
      """
    ).decode(Int64.self)
    let athletes = try await owner.query("SELECT id FROM racing.athlete ORDER BY id").decode(Int64.self)
    let stop = StopFlag()
    let others = [
      Self.traffic(database, stop) { session, round in
        let athlete = athletes[Int(round * 7) % athletes.count]
        _ = try await session.query("SELECT racing.deposit(\(athlete), 5, \("a\(round)"))")
      },
      Self.traffic(database, stop) { session, round in
        let athlete = athletes[Int(round * 11) % athletes.count]
        _ = try await session.query("SELECT racing.deposit(\(athlete), 100, \("b\(round)"))")
        do {
          _ = try await session.query("SELECT racing.enter_race(\(athlete), \(open[Int(round) % open.count]))")
        } catch let error as PostgresError where error.sqlState?.hasPrefix("SD") ?? false {}
      },
    ]
    try await untilTrue("the traffic of both") {
      try await owner.query(
        """
        SELECT count(DISTINCT substring(idempotency_key FROM '^athlete/[0-9]+/([ab])[0-9]+$')) = 2 FROM racing.journal
        """
      ).one(Bool.self)
    }
    let settlers = (0..<2).map { _ in
      Task {
        let pool = database.pool(size: 2)
        var context = database.context(pool)
        context.batchTarget = .milliseconds(30)
        let runner = JobRunner(SettlementJob(), in: context)
        var items = 0
        for _ in 0..<1000 {
          items += try await runner.runAllDue()
          let left = try await pool.withConnection {
            try await $0.query("SELECT count(*) FROM racing.race WHERE status = 'ended'").one(Int64.self)
          }
          if left == 0 { break }
        }
        await pool.close()
        return items
      }
    }
    var settled: [Int] = []
    for settler in settlers { settled.append(try await settler.value) }
    stop.request()
    for other in others { #expect(try await other.value > 0) }
    #expect(settled.reduce(0, +) == 300, "\(settled)")
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    #expect(try await Books.differences(owner) == [])
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()" as Statement
    #expect(try await owner.query(deadlocks).one(Int64.self) == 0)
  }

  @Test func `a race whose athletes import without pause is settled at once`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: "2031-06-04T00:59:00Z")
    let stop = StopFlag()
    let importers = field.athletes.enumerated().map { index, athlete in
      Self.traffic(day.course.database, stop) { session, round in
        let course = Course(database: day.course.database, session: session)
        _ = try await course.outing(
          athlete, stravaId: 1000 + round * 10 + Int64(index), at: "2031-06-03T11:00:00Z", maxSpeed: "0.\(round % 10)")
      }
    }
    // While they count, imports lock the race.
    try await untilTrue("imports") {
      try await day.session.query(
        "SELECT count(*) > 20 AND count(DISTINCT athlete_id) = 4 FROM racing.activity WHERE strava_id > 1000"
      ).one(Bool.self)
    }
    try await day.pass(to: RaceDay.due)
    let runner = JobRunner(SettlementJob(), in: day.course.database.context(day.pool))
    var turns = 0
    while try await day.course.status(field.race) != "settled", turns < 8 {
      turns += 1
      try await runner.runAllDue()
    }
    stop.request()
    for importer in importers { #expect(try await importer.value > 0) }
    #expect(try await day.course.status(field.race) == "settled", "after \(turns) turns")
    #expect(try await day.differences() == [])
  }
}
