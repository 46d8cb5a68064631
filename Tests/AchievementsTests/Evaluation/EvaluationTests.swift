import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Achievements

@Suite("An achievement for existing people", .timeLimit(.minutes(5))) struct EvaluationTests {
  private static func progress(_ club: Club) async throws -> String {
    let (done, total) = try await club.session.query(Statement(raw: EvaluationJob().progress ?? "")).one(
      Int64.self, Int64.self)
    return "\(done)/\(total)"
  }

  private static func world(_ users: Int64) async throws -> Club {
    let club = try await Club()
    try await club.session.execute(
      """
      SELECT achievements.create_user(n, 'user ' || n), achievements.report_metric(n, 'books_read', n, 'add', 'k')
      FROM generate_series(1, \(users)) AS n
      """)
    try await club.runChecks()
    return club
  }

  private static func recorded(_ club: Club) async throws -> Int64 {
    try await club.session.query("SELECT count(*) FROM achievements.unlock").one(Int64.self)
  }

  @Test func `a new achievement shows at once, and is recorded in pieces for those who qualify`()
    async throws
  {
    let club = try await Self.world(50)
    try await club.pass()
    try await club.define(Definition("forty", "books_read", 40, reward: 1))
    #expect(try await club.unlocked(40) == ["forty 2031-03-01 10:00:01"])
    #expect(try await club.unlocked(39) == [])
    #expect(try await Self.recorded(club) == 0)
    try await club.pass()
    let pool = club.database.pool()
    let stopFlag = StopFlag()
    var context = club.database.context(pool)
    let pieces = Pieces(2, stopFlag)
    context.beforeDecision = { _, _ in pieces.one() }
    _ = await JobRunner(EvaluationJob(limit: 3), in: context).runDue(until: stopFlag, due: .zero)
    #expect(try await Self.recorded(club) == 6)
    #expect(try await Self.progress(club) == "6/11")
    try await club.runEvaluation()
    await pool.close()
    #expect(try await Self.recorded(club) == 11)
    #expect(try await Self.progress(club) == "0/0")
    #expect(try await club.unlocked(50) == ["forty 2031-03-01 10:00:01"])
    #expect(try await club.events().count == 11)
    #expect(try await club.contradictions() == [])
    #expect(try await club.runChecks() == 0)
  }

  @Test func `an easier goal unlocks for those who qualify, and survives a harder one before the evaluation`()
    async throws
  {
    let club = try await Self.world(20)
    try await club.define(Definition("one", "books_read", 30))
    try await club.pass()
    try await club.define(Definition("one", "books_read", 10))
    try await club.pass()
    try await club.define(Definition("one", "books_read", 40))
    try await club.pass()
    // A person who comes that far only now is too late.
    try await club.report(9, "books_read", 5)
    #expect(try await club.unlocked(9) == [])
    try await club.report(11, "books_read", 0, "set")
    for _ in 0..<2 {
      for user in Int64(10)...20 { #expect(try await club.unlocked(user) == ["one 2031-03-01 10:00:01"], "\(user)") }
      #expect(try await club.unlocked(9) == [])
      try await club.runEvaluation()
      try await club.runChecks()
    }
    #expect(try await Self.recorded(club) == 11)
    try await club.pass(2 * 86_400)
    try await club.define(Definition("two", "books_read", 100))
    try await club.runEvaluation()
    let kept = try await club.session.query("SELECT count(*) FROM achievements.edition").one(Int64.self)
    #expect(kept == 2, "editions that nobody is judged by any more are gone")
  }

  @Test func `a harder goal or a new look of an achievement evaluates nobody`() async throws {
    let club = try await Self.world(5)
    var definition = Definition("one", "books_read", 3)
    try await club.define(definition)
    try await club.runEvaluation()
    definition.name = "Another"
    definition.isHidden = true
    try await club.define(definition)
    definition.goal.value = 4
    try await club.define(definition)
    definition.reward = 5
    try await club.define(definition)
    let waiting = try await club.session.query("SELECT count(*) FROM achievements.evaluation").one(Int64.self)
    #expect(waiting == 0)
    #expect(try await club.list(3).unlockedCount == 1)
  }

  @Test func `an achievement with one step fewer unlocks for those who completed the other steps`()
    async throws
  {
    let club = try await Self.world(10)
    var definition = Definition(
      "steps", steps: [1: .init(metric: "books_read", value: 4), 2: .init(metric: "notes_created", value: 1)])
    try await club.define(definition)
    try await club.runEvaluation()
    for user in Int64(5)...10 { try await club.report(user, "books_read", 0, "set") }
    definition.steps[2] = nil
    try await club.define(definition)
    try await club.runEvaluation()
    #expect(try await Self.recorded(club) == 7)
    #expect(try await club.contradictions() == [])
  }

  @Test func `an evaluation waits for locked rows at its end, and not before`() async throws {
    let club = try await Self.world(10)
    try await club.define(Definition("all", "books_read", 0))
    let holder = try await club.database.connect()
    try await holder.transaction { transaction in
      try await transaction.execute("SELECT FROM achievements.person WHERE id IN (2, 3) FOR UPDATE")
      _ = try await club.run(EvaluationJob(limit: 2))
      #expect(try await Self.recorded(club) == 8)
      #expect(try await Self.progress(club) == "8/10")
      #expect(try await club.list(3).unlockedCount == 1)
    }
    try await club.runEvaluation()
    #expect(try await Self.recorded(club) == 10)
    #expect(try await club.contradictions() == [])
  }

  @Test func `a definition that is not committed yet is judged for people who join or report meanwhile`() async throws {
    let club = try await Self.world(3)
    let definer = try await club.database.connect(.app)
    try await definer.transaction { transaction in
      for definition in [Definition("nine", "books_read", 9, reward: 2), Definition("zero", "books_read", 0)] {
        try await transaction.execute("SELECT achievements.define(\(definition.json))")
      }
      try await club.session.execute("SET lock_timeout = '5s'")
      try await club.join(4)
      try await club.report(1, "books_read", 20)
      try await club.runChecks()
      #expect(try await club.list(1).total == 0)
    }
    #expect(try await club.list(1).unlockedCount == 2)
    #expect(try await club.list(4).unlockedCount == 1)
    try await club.runEvaluation()
    try await club.runChecks()
    #expect(try await Self.recorded(club) == 5)
    #expect(try await club.contradictions() == [])
  }

  @Test func `an evaluation judges each affected person once, and a check only what a person changed`()
    async throws
  {
    let club = try await Self.world(20)
    for number in 0..<300 {
      try await club.define(Definition("far \(number)", "pages_read", Int64(1000 + number)))
    }
    try await club.runEvaluation()
    try await club.session.execute(
      """
      INSERT INTO achievements.person (id, name, created_at, edition) SELECT n, 'more', now(), 300 FROM generate_series(1000, 20000) AS n
      """)
    try await club.session.execute(
      "INSERT INTO achievements.counter SELECT n, 'books_read', '', 1 FROM generate_series(1000, 20000) AS n")
    try await club.session.execute("ANALYZE")
    // Else what is left of 300 evaluations would be walked, too.
    try await untilTrue("no evaluation that ended is left") {
      try await club.session.execute("VACUUM achievements.evaluation")
      return try await club.session.query("SELECT pg_relation_size('achievements.evaluation')").one(Int64.self) == 0
    }
    try await club.define(Definition("few", "books_read", 15))
    let next = EvaluationRows.next(
      of: Evaluation(id: 301, lastValue: 15, lastUser: 0, done: 0, left: []), limit: 200)
    #expect(try await club.session.query(next).count == 6)
    let walked = try await club.session.pagesTouched(next)
    let plan = try await club.session.query("EXPLAIN (ANALYZE, BUFFERS) \(fragment: next)").decode(String.self)
    #expect(walked < 100, "\(plan.joined(separator: "\n"))")
    try await club.runEvaluation()
    try await club.report(5, "pages_read", 500)
    try await club.session.execute("ANALYZE")
    let checked = try await club.session.pagesTouched(
      "SELECT achievements.reached(p) FROM achievements.person AS p WHERE p.id = 5")
    #expect(checked < 100, "\(checked) pages")
    let ranked = try await club.session.pagesTouched("SELECT achievements.leaderboard()")
    #expect(ranked < 200, "\(ranked) pages")
  }
}

/// Requests a stop at some decision.
private final class Pieces: Sendable {
  private let left: Mutex<Int>
  private let stopFlag: StopFlag

  init(_ count: Int, _ stopFlag: StopFlag) {
    left = Mutex(count)
    self.stopFlag = stopFlag
  }

  func one() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { stopFlag.request() }
  }
}
