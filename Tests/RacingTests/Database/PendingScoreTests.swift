import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("A race with very many pending activities")
struct PendingScoreTests {
  /// The reads of streams by a job: how many in all, and at most in one transaction.
  private final class Reads: Sendable {
    private let counts = Mutex((all: 0, inOne: 0, most: 0))

    var all: Int { counts.withLock { $0.all } }
    var most: Int { counts.withLock { $0.most } }

    func note(_ statement: Statement) {
      counts.withLock { counts in
        if statement.sql.contains("FROM racing.activity_stream WHERE") {
          counts.all += 1
          counts.inOne += 1
          counts.most = max(counts.most, counts.inOne)
        } else if statement.sql.contains("t.settle_due_at <=") {
          counts.inOne = 0
        }
      }
    }
  }

  /// An ended race in which so many athletes have an outing with streams that nobody has validated.
  private func world(_ athletes: Int) async throws -> (day: RaceDay, race: Int64) {
    let day = try await RaceDay()
    let race = try await day.course.race(type: "fastest_1km")
    for index in 0..<athletes { _ = try await day.course.enter(day.course.athlete("Athlete \(index)"), race) }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    for athlete in try await day.session.query("SELECT athlete_id FROM racing.entry ORDER BY id").decode(Int64.self) {
      _ = try await day.course.outing(athlete, stravaId: athlete)
    }
    try await day.session.execute(
      """
      INSERT INTO racing.activity_stream (activity_id, times, distances)
      SELECT id, ARRAY[0, (300 - id) * 1000000000], ARRAY[0, 1000000000000] FROM racing.activity
      """)
    return (day, race)
  }

  private func runner(_ day: RaceDay, _ reads: Reads) -> JobRunner<SettlementJob> {
    var options = day.course.database.options(.daemon)
    options.beforeStatement = { reads.note($0) }
    let pool = Pool(options: options, size: 2, waitTimeout: .seconds(20), maximumWaiters: 10)
    return JobRunner(SettlementJob(), in: day.course.database.context(pool))
  }

  private func waitsFor(_ day: RaceDay, _ race: Int64) async throws -> [Int64] {
    try await day.session.query("SELECT waiting_activities FROM racing.race WHERE id = \(race)").one([Int64].self)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a race reads the streams of pending activities once, 64 in a transaction`() async throws {
    let (day, race) = try await world(150)
    let reads = Reads()
    let settlement = runner(day, reads)
    try await day.pass(to: RaceDay.due)
    try await settlement.runAllDue()
    #expect(reads.all == 150 && reads.most == 64, "\(reads.all) in all, \(reads.most) in one")
    let expected = try await day.preview(race).waitingFor?.activities
    #expect(try await waitsFor(day, race) == expected && expected?.count == 150)

    // One of them has been judged: the race is looked at again.
    for id in [1, 2] as [Int64] {
      try await day.session.script(
        """
        UPDATE racing.activity SET status = 'rejected', reasons = '{gps}', scored = true WHERE id = \(id);
        UPDATE racing.race SET next_check_at = due_at, waiting_activities = '{}';
        """)
      try await settlement.runAllDue()
      #expect(try await waitsFor(day, race).contains(id) == false)
    }
    #expect(reads.all == 150)
    #expect(try await waitsFor(day, race).count == 148)
    #expect(try await day.differences() == [])
  }

  @Test func `a race reads a replaced activity's streams again, and decides by them`() async throws {
    let (day, race) = try await world(5)
    let reads = Reads()
    let settlement = runner(day, reads)
    try await day.pass(to: RaceDay.due)
    try await settlement.runAllDue()
    #expect(reads.all == 5)
    // No app may change it any more; a restored database may hold another content.
    try await day.session.script(
      """
      UPDATE racing.activity SET content_hash = 'other', distance = 10 WHERE id = 3;
      DELETE FROM racing.activity_stream WHERE activity_id = 3;
      UPDATE racing.race SET next_check_at = due_at, waiting_activities = '{}';
      """)
    try await settlement.runAllDue()
    #expect(try await waitsFor(day, race) == [1, 2, 4, 5], "it is too short for a kilometre now")
    #expect(try await day.preview(race).waitingFor?.activities == [1, 2, 4, 5])
    #expect(reads.all == 5, "it has no streams any more")
  }
}
