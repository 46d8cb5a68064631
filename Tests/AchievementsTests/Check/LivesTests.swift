import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Achievements

/// After anybody's acts, in any order, and wherever the jobs have got to, everybody's
/// list is what the model says, at once.
@Suite("Random lives", .timeLimit(.minutes(5))) struct LivesTests {
  /// A few; many with SETTLED_SOAK, as `deploy/soak` sets it.
  private static let count = ProcessInfo.processInfo.environment["SETTLED_SOAK"] == nil ? 4 : 300

  private static let users: [Int64] = [1, 2, 3]

  private static func date(_ second: Int64) -> String {
    let time = 10 * 3600 + second
    let parts = [time / 3600, time / 60 % 60, time % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "2031-03-01 " + parts.joined(separator: ":")
  }

  private static func expect(_ club: Club, like model: Model, _ what: String) async throws {
    for user in model.people.keys.sorted() {
      let (shown, expected) = (try await club.list(user), model.list(user, date: date))
      try #require(shown == expected, "\(what), user \(user)")
    }
    try #require(try await club.contradictions() == [], "\(what)")
  }

  @Test(arguments: 0..<count)
  func `random lives of people are shown as the model predicts after every change`(_ number: Int) async throws {
    var lives = Lives(random: SeededGenerator())
    let club = try await Club()
    var model = Model()
    for user in Self.users {
      try await club.join(user)
      model.join(user)
    }
    for turn in 0..<60 {
      let what = "\(lives.random.description) life \(number) change \(turn)"
      if lives.below(3) > 0 {
        model.now += 1
        try await club.pass()
      }
      try await change(&lives, club, &model)
      try await Self.expect(club, like: model, what)
      try await settleSome(&lives, club, what)
      try await Self.expect(club, like: model, "\(what), after the jobs")
    }
    try await club.runEvaluation()
    try await club.runChecks()
    try await Self.expect(club, like: model, "\(lives.random) at the end")
    let left = try await club.session.query(
      "SELECT (SELECT count(*) FROM achievements.evaluation) + (SELECT count(*) FROM achievements.person WHERE due_at IS NOT NULL)"
    ).one(Int64.self)
    #expect(left == 0)
    #expect(try await club.events().count == model.people.values.reduce(0) { $0 + $1.unlocked.count })
  }

  private func change(_ lives: inout Lives, _ club: Club, _ model: inout Model) async throws {
    if lives.below(4) == 0 {
      let definition = lives.definition(of: 6)
      model.define(definition, id: try await club.define(definition))
    } else {
      let user = Self.users[lives.below(Self.users.count)]
      let (metric, value, mode, target) = lives.report()
      try await club.report(user, metric, value, mode, target: target)
      model.report(user, metric, value, mode, target: target)
    }
  }

  /// Lets the jobs get some way, or fail; or somebody checks.
  private func settleSome(_ lives: inout Lives, _ club: Club, _ what: String) async throws {
    switch lives.below(8) {
    case 0: try await club.runChecks()
    case 1: try await some(AchievementCheckJob(), of: club, statements: lives.below(12))
    case 2, 3: try await some(EvaluationJob(limit: 1), of: club, statements: lives.below(40))
    case 4:
      let user = Self.users[lives.below(Self.users.count)]
      let told = Set(try await club.events().filter { $0.hasPrefix("\(user) ") }.map { $0.split(separator: " ")[1] })
      let checked = try await club.check(user)
      let unlocked = try await club.list(user, filter: "unlocked").achievements
      #expect(checked.newlyUnlocked == unlocked.filter { !told.contains(Substring($0.slug)) }, "\(what)")
      #expect(checked.achievements == (try await club.list(user)).achievements, "\(what)")
    default: break
    }
  }

  /// Runs a job whose connection is lost at some statement.
  private func some(_ job: some Job, of club: Club, statements: Int) async throws {
    let options = StatementFault(at: statements).options(club.database.options(.daemon))
    let faulty = Pool(options: options, size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
    _ = await JobRunner(job, in: club.database.context(faulty)).runDue(until: StopFlag(), due: .zero)
    await faulty.close()
    try await club.session.waitUntilGone("tests daemon")
  }
}
