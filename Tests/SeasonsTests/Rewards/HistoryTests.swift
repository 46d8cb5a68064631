import Engine
import Foundation
import Postgres
import Seasons
import TestSupport
import Testing

@Suite("Histories of seasons", .timeLimit(.minutes(5))) struct HistoryTests {
  private static let seasons = ["xc", "track"].flatMap { season in
    [2030, 2031].map { SeasonModel.Season(season: season, year: $0) }
  }

  /// One history, beside the model of the rules.
  private struct History {
    let team: Team
    var model = SeasonModel()
    var random: SeededGenerator
    private var now = 0
    private var uuids = 0

    init(_ random: SeededGenerator) async throws {
      self.random = random
      team = try await Team(at: "2031-06-10T00:00:00Z")
      for _ in 0..<6 { try await createRunner() }
    }

    private mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func date(_ seconds: Int) -> String {
      Timestamp(microseconds: (1_938_816_000 + Int64(seconds)) * 1_000_000).description
    }

    private mutating func createRunner() async throws {
      let runner = SeasonModel.Runner(
        graduating: draw(2030...2036), team: draw(0...4) == 0 ? "NU" : "UA", xc: draw(0...3) > 0, track: draw(0...3) > 0
      )
      let id = try await team.runner(
        class: Int64(runner.graduating), team: runner.team, xc: runner.xc, track: runner.track)
      model.create(id, runner)
    }

    mutating func step() async throws {
      if draw(0...2) > 0 {
        now += draw(1...7200)
        try await team.session.execute(
          "SELECT settled.set_clock('2031-06-10T00:00:00Z'::timestamptz + \(Int64(now)) * interval '1 second')")
      }
      let runner = Int64(draw(1...model.runners.count))
      switch draw(0...19) {
      case 0: try await createRunner()
      case 1...2:
        let active = draw(0...1) == 0
        try await team.setActive(runner, active)
        model.setActive(runner, active, at: now)
      case 3...4: try await createReward()
      case 5...6: try await updateReward()
      case 7: try await deleteReward()
      default: try await earn(runner)
      }
    }

    private mutating func earn(_ runner: Int64) async throws {
      let type = SeasonModel.points.keys.sorted()[draw(0...6)]
      uuids += 1
      let uuid = draw(0...3) == 0 ? nil : "activity \(draw(0...2) == 0 ? draw(1...uuids) : uuids)"
      let season = draw(0...7) == 0 ? nil : HistoryTests.seasons[draw(0...3)]
      let isHalf = season == nil && draw(0...1) == 0
      let answer = try await team.earn(
        runner, type, uuid, season?.season, isHalf ? "2031" : season.map { "\($0.year)" })
      #expect(answer.pointsEarned == model.earn(runner, type, uuid, season, at: now), "\(random)")
    }

    private mutating func createReward() async throws {
      let season = HistoryTests.seasons[draw(0...3)]
      let (threshold, order) = (draw(1...150), draw(1...6))
      let isTaken = model.isTaken(order, in: season)
      var made: SeasonalReward?
      let ended = try await outcome {
        made = try await team.reward(threshold, order: order, season.season, "\(season.year)")
      }
      #expect(ended == (isTaken ? "SD400 display-order" : "ok"), "\(random)")
      guard let made else { return }
      model.create(.init(id: made.id, season: season, threshold: threshold, order: order), at: now)
      compare(made)
    }

    private mutating func updateReward() async throws {
      guard let id = model.rewards.keys.sorted().randomElement(using: &random), let reward = model.rewards[id] else {
        return
      }
      let threshold = draw(0...2) == 0 ? nil : draw(1...200)
      let order = draw(0...1) == 0 ? nil : draw(1...6)
      let isTaken = order.map { model.isTaken($0, in: reward.season, but: id) } ?? false
      var made: SeasonalReward?
      let ended = try await outcome {
        made = try await team.update(id, UpdateSeasonalRewardRequest(pointThreshold: threshold, displayOrder: order))
      }
      #expect(ended == (isTaken ? "SD400 display-order" : "ok"), "\(random)")
      guard let made else { return }
      model.update(id, threshold: threshold, order: order, at: now)
      compare(made)
    }

    private mutating func deleteReward() async throws {
      guard let id = model.rewards.keys.sorted().randomElement(using: &random) else { return }
      _ = try await team.session.query("SELECT seasons.delete_reward(\(id))")
      model.delete(id)
    }

    private func compare(_ shown: SeasonalReward) {
      #expect(shown.achievedDate == model.rewards[shown.id]?.achieved.map(date), "reward \(shown.id), \(random)")
    }

    /// The job, which now and then fails in one of its statements.
    mutating func check() async throws {
      let failAt = draw(0...1) == 0 ? draw(1...12) : 0
      let options = StatementFault(at: failAt, sqlState: "40P01").options(team.database.options(.daemon))
      let pool = Pool(options: options, size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
      _ = await JobRunner(RewardCheckJob(), in: team.database.context(pool)).runDue(until: StopFlag(), due: .zero)
      await pool.close()
      try await team.session.execute("DELETE FROM settled.failure")
    }

    func compare(_ step: Int) async throws {
      for season in HistoryTests.seasons {
        let shown = try await team.progress(season.season, "\(season.year)")
        let told = shown.rewards.map {
          "\($0.id) \($0.pointThreshold) \($0.displayOrder) \($0.achievedDate ?? "-") \($0.progressPercentage ?? -1)"
        }
        let expected = model.rewards(in: season).map {
          "\($0.id) \($0.threshold) \($0.order) \($0.achieved.map(date) ?? "-") \(Double(model.progress($0)) / 100)"
        }
        #expect(told == expected, "\(season), step \(step), \(random)")
        #expect(shown.teamTotalPoints == model.total(season), "\(season), step \(step), \(random)")
        #expect(shown.activeRosterCount == model.roster(season), "\(season), step \(step), \(random)")
      }
    }

    func compareEvents() async throws {
      let told = model.events.sorted { $0.key < $1.key }.map { "\($0.key) \(date($0.value))" }
      #expect(try await team.events() == told, "\(random)")
      #expect(try await team.differences() == "[]", "\(random)")
    }
  }

  @Test(arguments: 0..<(ProcessInfo.processInfo.environment["SETTLED_TEST_ROUNDS"].flatMap { Int($0) } ?? 4))
  func `histories of seasons match a model of the rules, at any runs and failures of the check`(round: Int) async throws
  {
    var history = try await History(SeededGenerator(seed: SeededGenerator().seed &+ UInt64(round)))
    let patience = Int.random(in: 2...30, using: &history.random)
    // Few runners who count may reach nothing for long: such a history continues.
    for step in 0..<5000 where step < 250 || history.model.events.isEmpty {
      try await history.step()
      if Int.random(in: 0..<patience, using: &history.random) == 0 { try await history.check() }
      if step % 5 == 0 { try await history.compare(step) }
    }
    try await history.compare(5000)
    try await history.team.check()
    try await history.compare(5001)
    try await history.compareEvents()
    #expect(history.model.events.count > 0, "\(history.random)")
  }
}
