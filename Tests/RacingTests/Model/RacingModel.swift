/// An independent model of races, reviews and money, moved by the same steps as the database.
///
/// It knows no ledger: an athlete has a `ModelWallet`. All races of a history have one window.
struct RacingModel {
  enum Status: String { case pending, verified, rejected, underReview = "under_review", disqualified }

  struct Activity {
    let id: Int64
    let athlete: Int64
    var speed: Int64
    var distance: Int64
    var isBad: Bool
    var cameInTime: Bool
    var status = Status.pending
    var wasValidated = false
    var flags: Set<Int64> = []
    var spent: Set<Int64> = []
    var hasReview = false
    var wasDecided = false

    func isHeld(_ threshold: Int) -> Bool {
      status == .pending || status == .underReview || status != .disqualified && flags.count >= threshold
        || status == .rejected && hasReview
    }
  }

  struct Entry {
    let id: Int64
    let athlete: Int64
    let order: Int
    var status = "entered"
    var isOut = false
    var isRefunded = false
    var prize: Int64 = 0
  }

  struct Race {
    let id: Int64
    let isSpeed: Bool
    let fee: Int64
    var status = "open"
    var entries: [Entry] = []
    var counted: Set<Int64> = []
    var held: Set<Int64> = []
    var late: Set<Int64> = []
    var isVoid = false
  }

  static let threshold = 3

  var wallets: [Int64: ModelWallet] = [:]
  var hour = 0
  /// How long prizes rest, in hours.
  var rest = 72
  var activities: [Int64: Activity] = [:]
  var races: [Int64: Race] = [:]
  var hasEnded = false
  var isDue = false
  var isHoldOver = false

  // MARK: What users do. Each says whether it must be allowed.

  mutating func flag(_ activity: Int64, by user: Int64) -> Bool {
    guard var a = activities[activity], [.pending, .verified, .underReview].contains(a.status),
      !a.flags.contains(user), !a.spent.contains(user)
    else { return false }
    a.flags.insert(user)
    activities[activity] = a
    return true
  }

  mutating func update(_ activity: Int64, speed: Int64, distance: Int64) -> Bool {
    guard var a = activities[activity] else { return false }
    let hasEntered = races.values.contains { race in
      race.status != "cancelled" && race.entries.contains { $0.athlete == a.athlete }
    }
    guard a.status != .underReview, a.status != .disqualified, !(isDue && hasEntered) else { return false }
    (a.speed, a.distance, a.status, a.wasValidated) = (speed, distance, .pending, false)
    a.spent = []
    a.cameInTime = !isDue
    activities[activity] = a
    return true
  }

  mutating func decide(_ activity: Int64, _ decision: String) -> Bool {
    guard var a = activities[activity] else { return false }
    let isOpen = !a.flags.isEmpty || a.hasReview
    guard isOpen || decision == "disqualify" && a.status == .verified && !a.wasDecided else { return false }
    switch decision {
    case "request_info":
      a.hasReview = true
      if a.status != .rejected { a.status = .underReview }
      activities[activity] = a
    case "approve":
      (a.hasReview, a.wasDecided, a.spent, a.flags) = (false, true, a.spent.union(a.flags), [])
      a.status = a.wasValidated ? .verified : .pending
      activities[activity] = a
      noteVerified(activity)
    default:
      (a.hasReview, a.wasDecided, a.flags, a.status) = (false, true, [], .disqualified)
      activities[activity] = a
      for id in races.keys { takeOut(a, of: id) }
    }
    return true
  }

  private mutating func takeOut(_ a: Activity, of id: Int64) {
    guard a.cameInTime, var race = races[id], race.status != "cancelled" else { return }
    for index in race.entries.indices where race.entries[index].athlete == a.athlete {
      if ["entered", "completed"].contains(race.entries[index].status) { race.entries[index].isOut = true }
    }
    races[id] = race
  }

  private mutating func noteVerified(_ activity: Int64) {
    guard activities[activity]?.status == .verified else { return }
    for id in races.keys where races[id]?.status == "settled" && races[id]?.held.contains(activity) ?? false {
      races[id]?.late.insert(activity)
    }
  }

  // MARK: What jobs do.

  mutating func validate() {
    for id in activities.keys where activities[id]?.status == .pending {
      let isBad = activities[id]?.isBad ?? false
      activities[id]?.status = isBad ? .rejected : .verified
      activities[id]?.wasValidated = true
      noteVerified(id)
    }
  }

  mutating func escalate() {
    for (id, a) in activities where [.pending, .verified].contains(a.status) && a.flags.count >= Self.threshold {
      activities[id]?.status = .underReview
      activities[id]?.hasReview = true
    }
  }

  mutating func cancel(_ id: Int64) -> Bool {
    guard var race = races[id], race.status == "open" else { return false }
    for index in race.entries.indices {
      refund(&race.entries[index], race.fee, as: race.entries[index].isOut ? "disqualified" : "refunded")
    }
    race.status = "cancelled"
    races[id] = race
    return true
  }

  private mutating func refund(_ entry: inout Entry, _ fee: Int64, as status: String) {
    entry.status = status
    if !entry.isRefunded { wallets[entry.athlete, default: .init()].add(fee) }
    entry.isRefunded = true
  }

  mutating func settle() {
    for id in races.keys.sorted() {
      guard var race = races[id], race.status != "cancelled" else { continue }
      if race.status == "open" {
        for index in race.entries.indices where race.entries[index].isOut {
          refund(&race.entries[index], race.fee, as: "disqualified")
        }
        if isDue, isHoldOver || !waits(race) { first(&race) }
      } else if !race.isVoid {
        again(&race)
      }
      races[id] = race
    }
  }
}
