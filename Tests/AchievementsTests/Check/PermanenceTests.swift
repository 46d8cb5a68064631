import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Achievements

@Suite("Unlocked achievements", .timeLimit(.minutes(3))) struct PermanenceTests {
  private static let users: [Int64] = [1, 2, 3, 4]

  @Test func `an unlock in a hanging transaction counts, although the definition was replaced meanwhile`()
    async throws
  {
    let club = try await Club()
    try await club.join(1)
    try await club.define(Definition("one", "books_read", 5))
    try await club.runEvaluation()
    try await club.runChecks()
    let app = try await club.database.connect(.app)
    try await app.transaction { transaction in
      _ = try await transaction.query("SELECT achievements.report_metric(1, 'books_read', 5, 'set', 'hung')")
      try await club.define(Definition("one", "books_read", 50))
      try await club.define(Definition("two", "pages_read", 5))
      try await club.runEvaluation()
    }
    #expect(try await club.unlocked(1) == ["one 2031-03-01 10:00:00"])
    try await club.runChecks()
    #expect(try await club.unlocked(1) == ["one 2031-03-01 10:00:00"])
    #expect(try await club.contradictions() == [])
  }

  @Test func `an unlock that was seen is never revoked, while definitions, reports and jobs run side by side`()
    async throws
  {
    let random = SeededGenerator()
    let club = try await Club()
    for user in Self.users { try await club.join(user) }
    let working = Working(writers: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          var lives = Lives(random: SeededGenerator(seed: random.seed &+ UInt64(number)))
          let app = try await club.database.connect(.app)
          for turn in 0..<60 { try await Self.write(&lives, app, isDefiner: number == 0, "\(number) \(turn)") }
          working.oneEnds()
        }
      }
      group.addTask { while working.goesOn { try await club.runChecks() } }
      group.addTask { while working.goesOn { _ = try await club.run(EvaluationJob(limit: 1)) } }
      for user in Self.users {
        group.addTask {
          let app = try await club.database.connect(.app)
          var seen: Set<String> = []
          while working.goesOn {
            let now = try await app.query(
              """
              SELECT a->>'slug' FROM jsonb_array_elements(achievements.of_user(\(user), filter => 'unlocked')->'achievements') AS a
              """
            ).decode(String.self)
            #expect(seen.isSubset(of: now), "\(random) user \(user)")
            seen = Set(now)
          }
        }
      }
      try await group.waitForAll()
    }
    let before = try await Self.unlocked(club)
    try await club.runEvaluation()
    try await club.runChecks()
    #expect(try await Self.unlocked(club) == before, "\(random)")
    #expect(try await club.contradictions() == [], "\(random)")
    #expect(before.count > 10, "\(random)")
  }

  /// The first writer defines, the others report, and now and then check.
  private static func write(_ lives: inout Lives, _ app: Connection, isDefiner: Bool, _ key: String) async throws {
    let user = users[lives.below(users.count)]
    if isDefiner {
      try await app.execute("SELECT achievements.define(\(lives.definition(of: 6).json))")
    } else if lives.below(6) == 0 {
      try await app.execute("SELECT achievements.check(\(user))")
    } else {
      let (metric, value, _, target) = lives.report()
      try await app.execute(
        "SELECT achievements.report_metric(\(user), \(metric), \(value % 3), 'add', \(key), \(target))")
    }
  }

  private static func unlocked(_ club: Club) async throws -> [String] {
    var all: [String] = []
    for user in users { all += try await club.unlocked(user).map { "\(user) \($0)" } }
    return all
  }
}

/// Whether any writer is still at work.
private final class Working: Sendable {
  private let left: Mutex<Int>

  init(writers: Int) { left = Mutex(writers) }

  var goesOn: Bool { left.withLock { $0 > 0 } }

  func oneEnds() { left.withLock { $0 -= 1 } }
}
