/// The rules of seasons, written from Seasons.docc/Rewards.md and apart from the product: it looks at everything after
/// each call.
///
/// Instants are seconds since the beginning of the history. Calls follow each other; nothing is decided by a job.
struct SeasonModel {
  struct Season: Hashable {
    let season: String
    let year: Int
  }

  struct Runner {
    let graduating: Int
    let team: String
    let xc: Bool
    let track: Bool
    var isActive = true

    func runs(in season: Season) -> Bool {
      isActive && team == "UA" && (season.season == "xc" ? xc : track)
        && (season.year + 1...season.year + 4).contains(graduating)
    }
  }

  struct Row {
    let runner: Int64
    let points: Int
    let season: Season?
    let at: Int
  }

  struct Reward {
    let id: Int64
    let season: Season
    var threshold: Int
    var order: Int
    var achieved: Int?
  }

  private(set) var runners: [Int64: Runner] = [:]
  private(set) var rewards: [Int64: Reward] = [:]
  /// By instant, then in the order of the calls.
  private var ledger: [Row] = []
  private var earned: [String: Row] = [:]
  /// `REWARD INSTANT`
  private(set) var events: [Int64: Int] = [:]

  static let points = [
    "TRAINING_RUN": 10, "WORKOUT": 15, "CROSS_TRAINING": 8, "MEET_LOG": 20, "PRE_MEET_LOG": 5, "TEAM_TALK_COMMENT": 3,
    "LIFTING": 10,
  ]

  mutating func create(_ id: Int64, _ runner: Runner) { runners[id] = runner }

  /// The points that the call earns: none where the activity has earned before.
  mutating func earn(_ runner: Int64, _ type: String, _ uuid: String?, _ season: Season?, at now: Int) -> Int {
    let row = Row(runner: runner, points: Self.points[type] ?? 0, season: season, at: now)
    if let uuid {
      guard earned["\(runner) \(type) \(uuid)"] == nil else { return 0 }
      earned["\(runner) \(type) \(uuid)"] = row
    }
    ledger.append(row)
    look(at: now, isChange: false)
    return row.points
  }

  mutating func setActive(_ runner: Int64, _ active: Bool, at now: Int) {
    runners[runner]?.isActive = active
    look(at: now, isChange: true)
  }

  mutating func create(_ reward: Reward, at now: Int) {
    rewards[reward.id] = reward
    look(at: now, isChange: true)
  }

  mutating func update(_ id: Int64, threshold: Int?, order: Int?, at now: Int) {
    if let threshold { rewards[id]?.threshold = threshold }
    if let order { rewards[id]?.order = order }
    look(at: now, isChange: true)
  }

  mutating func delete(_ id: Int64) { rewards[id] = nil }

  func isTaken(_ order: Int, in season: Season, but id: Int64? = nil) -> Bool {
    rewards.values.contains { $0.season == season && $0.order == order && $0.id != id }
  }

  private mutating func look(at now: Int, isChange: Bool) {
    for reward in rewards.values where reward.achieved == nil {
      var sum = 0
      let crossing = counted(in: reward.season).first {
        sum += $0.points
        return sum >= reward.threshold
      }
      guard let crossing else { continue }
      let date = isChange ? max(crossing.at, now) : crossing.at
      rewards[reward.id]?.achieved = date
      events[reward.id] = date
    }
  }

  private func counted(in season: Season) -> [Row] {
    ledger.filter { $0.season == season && runners[$0.runner]?.runs(in: season) == true }
  }

  func total(_ season: Season) -> Int { counted(in: season).reduce(0) { $0 + $1.points } }

  func roster(_ season: Season) -> Int { runners.values.count { $0.runs(in: season) } }

  /// Hundredths of a percent, rounded down; all where the reward is achieved.
  func progress(_ reward: Reward) -> Int {
    reward.achieved != nil ? 10_000 : min(10_000, total(reward.season) * 10_000 / reward.threshold)
  }

  func rewards(in season: Season) -> [Reward] {
    rewards.values.filter { $0.season == season }.sorted { $0.order < $1.order }
  }
}
