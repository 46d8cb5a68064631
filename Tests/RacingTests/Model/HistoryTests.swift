import Engine
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("Any history")
struct HistoryTests {
  private static var histories: Int {
    ProcessInfo.processInfo.environment["SETTLED_TEST_HISTORIES"].flatMap { Int($0) } ?? 125
  }

  /// Histories in one database: one after the other, so that later ones find the books of earlier ones.
  private static let perDatabase = 25

  @Test(.timeLimit(.minutes(600)))
  func `any history of races ends like an independent model, with balanced books and stable pages`() async throws {
    let random = SeededGenerator()
    print("histories: \(random)")
    let databases = (Self.histories + Self.perDatabase - 1) / Self.perDatabase
    let met = try await withThrowingTaskGroup(of: [Int64].self) { group in
      var sums: [Int64] = [0, 0, 0, 0, 0, 0, 0, 0]
      for database in 0..<databases {
        if database >= 2, let met = try await group.next() { sums = zip(sums, met).map(+) }
        group.addTask { try await Self.run(database, seed: random.seed) }
      }
      for try await met in group { sums = zip(sums, met).map(+) }
      return sums
    }
    // A check that meets no correction, or nobody who owes, checks little.
    print(
      "histories: corrections, void, cancelled, postings of receivables, fees taken again before and after, "
        + "claims proved in time and late: \(met)")
    // Among few histories chance may leave out the rare kinds: fees taken again, and claims proved late.
    let frequent = [met[0], met[1], met[2], met[3], met[6]]
    #expect(Self.histories < 100 || frequent.allSatisfy { $0 > 0 }, "\(random): \(met)")
    #expect(Self.histories < 1000 || met.allSatisfy { $0 > 0 }, "\(random): \(met)")
  }

  private static func run(_ database: Int, seed: UInt64) async throws -> [Int64] {
    let day = try await RaceDay()
    let nodes = [day.course.database.context(day.pool), faulty(day.course.database, seed: seed)]
    var page: [String] = []
    var head = LedgerChain.Head(position: 0, hash: "")
    let first = database * perDatabase
    for number in first..<min(first + perDatabase, histories) {
      // Each history has a seed of its own, so that one can be replayed by its number alone.
      var history = History(
        number - first + 1, day: day, nodes: nodes, random: SeededGenerator(seed: seed &+ UInt64(number)))
      try await history.live(steps: Int.random(in: 20...40, using: &history.random))
      try await history.check()
      #expect(try await day.differences() == [], "\(history)")
      let next = try await day.page()
      #expect(Set(next).isSuperset(of: page), "\(history)")
      page = next
      // The chain says the same of the ledger: what stood before this history stands as it was.
      _ = try await LedgerChain.extend(day.session)
      #expect(try await LedgerChain.differences(known: [head], day.session) == [], "\(history)")
      let longer = try await LedgerChain.head(day.session)
      #expect(longer.position > head.position, "\(history)")
      head = longer
    }
    return try await variety(day)
  }

  /// Corrections, void revisions, cancelled races, postings of receivables, fees taken again before the settlement,
  /// entries that a correction has brought back, and claims that counted from the first revision or in a later one.
  private static func variety(_ day: RaceDay) async throws -> [Int64] {
    try await day.session.query(
      """
      SELECT ARRAY[(SELECT count(*) FROM racing.settlement WHERE revision > 1),
        (SELECT count(*) FROM racing.settlement WHERE outcome = 'void'),
        (SELECT count(*) FROM racing.race WHERE status = 'cancelled'),
        (SELECT count(*) FROM racing.posting WHERE account = 'receivable'),
        (SELECT coalesce(sum(reinstatement_count), 0) FROM racing.entry)::bigint,
        (SELECT count(*) FROM racing.entry AS e JOIN racing.posting AS p ON p.entry_id = e.id AND p.account = 'wallet'
          JOIN racing.journal AS j ON j.id = p.journal_id AND j.kind = 'refund'
          WHERE e.status = 'completed' AND e.reinstatement_count = 0),
        (SELECT count(*) FROM racing.activity AS a WHERE a.is_proved AND EXISTS (
          SELECT FROM racing.settlement AS s WHERE a.id = ANY(s.counted_activities) AND s.revision = 1)),
        (SELECT count(*) FROM racing.late_activity AS l JOIN racing.activity AS a ON a.id = l.activity_id
          WHERE a.is_proved AND EXISTS (
            SELECT FROM racing.settlement AS s WHERE s.race_id = l.race_id AND a.id = ANY(s.counted_activities)))]
      """
    ).one([Int64].self)
  }

  /// A node whose statements fail now and then as if the server had chosen it in a deadlock, or was gone.
  private static func faulty(_ database: SettledDatabase, seed: UInt64) -> JobContext {
    let random = Mutex(SeededGenerator(seed: seed))
    var options = database.options(.daemon)
    options.beforeStatement = { _ in
      switch random.withLock({ Int.random(in: 0..<60, using: &$0) }) {
      case 0: throw PostgresError(.server, "injected", sqlState: "40P01")
      case 1: throw PostgresError(.connection, "injected")
      default: break
      }
    }
    return database.context(Pool(options: options, size: 3, waitTimeout: .seconds(20), maximumWaiters: 10))
  }
}
