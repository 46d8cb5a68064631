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
    /// Users whose flags do not count.
    var idle: Set<Int64> = []
    var hasReview = false
    var wasDecided = false
    /// Hours of the present content, and of the latest disqualification.
    var importedAt = 0
    var disqualifiedAt = 0
    /// The place of the latest disqualification among all that happened.
    var disqualifiedAs = 0
    /// How often each content, a speed and a distance, was approved.
    var approvals: [[Int64]: Int] = [:]
    /// Whether the provider has it no more, and whether it came back at the due instant or later.
    var isDeleted = false
    var isBackLate = false
    /// The settled races that it was proved too late for.
    var lateFor: Set<Int64> = []
    /// Whether it was proved after the due instant with other values than were claimed, whether the open review shows
    /// that, and whether somebody who saw it has approved.
    var isChangedLate = false
    var reviewShowsChange = false
    var isChangeApproved = false
    /// An administrator's decision, and its hour.
    var overruled: (decision: String, at: Int)?

    var isDoubted: Bool { isChangedLate && !isChangeApproved && !isDeleted }

    /// A doubted activity with scores is under review.
    mutating func doubt() {
      guard isDoubted, wasValidated, [.verified, .underReview].contains(status) else { return }
      (status, hasReview, reviewShowsChange) = (.underReview, true, true)
    }

    /// Whether it counts like one that was never deleted.
    var isThere: Bool { !isDeleted && !isBackLate }

    /// Whether an administrator has decided on the present content.
    var isBound: Bool { overruled.map { $0.at >= importedAt } ?? false }

    /// Three flags, and twice as many after each approval of the present content.
    var hasEnoughFlags: Bool { flags.subtracting(idle).count >= 3 << approvals[[speed, distance], default: 0] }

    var isHeld: Bool {
      status == .pending || status == .underReview || status != .disqualified && hasEnoughFlags
        || status == .rejected && hasReview
    }
  }

  struct Entry {
    let id: Int64
    let athlete: Int64
    let order: Int
    let enteredAt: Int
    /// The place of the entry among all that happened.
    let enteredAs: Int
    var status = "entered"
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
    var everCounted: Set<Int64> = []
    var held: Set<Int64> = []
    var late: Set<Int64> = []
    /// The hour of the first settlement.
    var settledAt: Int?
    var isVoid = false
  }

  var wallets: [Int64: ModelWallet] = [:]
  var hour = 0
  /// How long prizes rest, in hours.
  var rest = 72
  var activities: [Int64: Activity] = [:]
  var races: [Int64: Race] = [:]
  var claims: [Int64: Claim] = [:]
  /// Whether only flags of the proved count.
  var provesUsers = false
  /// How long claims hold.
  var claimHold = 2
  /// How many things have happened whose order matters.
  var happened = 0
  var hasEnded = false
  var isDue = false
  var isHoldOver = false

  // MARK: What users do. Each says whether it must be allowed.

  mutating func flag(_ activity: Int64, by user: Int64, isProved: Bool = false) -> Bool {
    guard var a = activities[activity], [.pending, .verified, .underReview].contains(a.status),
      !a.flags.contains(user), !a.spent.contains(user),
      !a.isDeleted || races.values.contains(where: { $0.everCounted.contains(activity) })
    else { return false }
    a.flags.insert(user)
    if isProved || !provesUsers { a.idle.remove(user) } else { a.idle.insert(user) }
    activities[activity] = a
    return true
  }

  mutating func update(_ activity: Int64, speed: Int64, distance: Int64) -> Bool {
    guard var a = activities[activity] else { return false }
    let hasEntered = races.values.contains { race in
      race.status != "cancelled" && race.entries.contains { $0.athlete == a.athlete }
    }
    guard a.status != .underReview, a.status != .disqualified, !a.isDeleted, !(isDue && hasEntered) else {
      return false
    }
    (a.speed, a.distance, a.status, a.wasValidated) = (speed, distance, .pending, false)
    a.spent = []
    a.isChangedLate = false
    a.cameInTime = !isDue
    a.importedAt = hour
    activities[activity] = a
    return true
  }

  mutating func decide(_ activity: Int64, _ decision: String) -> Bool {
    guard let a = activities[activity], !a.isBound else { return false }
    let isOpen = !a.flags.isEmpty || a.hasReview
    guard isOpen || decision == "disqualify" && a.status == .verified && !a.wasDecided else { return false }
    let isDoubted = a.hasReview || !a.flags.subtracting(a.idle).isEmpty
    guard decision != "request_info" || a.status != .verified || isDoubted else { return false }
    carryOut(decision, on: a)
    return true
  }

  mutating func overrule(_ activity: Int64, _ decision: String) -> Bool {
    guard var a = activities[activity] else { return false }
    let isOpen = !a.flags.isEmpty || a.hasReview
    if !isOpen, a.isBound, a.overruled?.decision == decision { return true }
    guard isOpen || a.wasDecided || decision == "disqualify" && a.status == .verified else { return false }
    a.overruled = (decision, hour)
    a.reviewShowsChange = true
    carryOut(decision, on: a)
    return true
  }

  private mutating func carryOut(_ decision: String, on activity: Activity) {
    var a = activity
    switch decision {
    case "request_info":
      a.hasReview = true
      if a.status != .rejected { a.status = .underReview }
      activities[a.id] = a
    case "approve":
      (a.hasReview, a.wasDecided, a.spent, a.flags) = (false, true, a.spent.union(a.flags), [])
      a.approvals[[a.speed, a.distance], default: 0] += 1
      if a.wasValidated, a.reviewShowsChange { a.isChangeApproved = true }
      a.reviewShowsChange = false
      a.status = a.wasValidated ? .verified : .pending
      activities[a.id] = a
      noteVerified(a.id)
      if activity.status == .disqualified, a.wasValidated, a.cameInTime, a.isThere { noteOverruled(a) }
      for id in races.keys where races[id]?.status == "open" { takePart(again: id) }
    default:
      (a.hasReview, a.wasDecided, a.spent, a.flags) = (false, true, a.spent.union(a.flags), [])
      happened += 1
      a.reviewShowsChange = false
      (a.status, a.disqualifiedAt, a.disqualifiedAs) = (.disqualified, hour, happened)
      activities[a.id] = a
    }
  }

  /// Entries that were made after the disqualification, in races that are settled, count the activity as well.
  private mutating func noteOverruled(_ a: Activity) {
    for (id, race) in races where race.status == "settled" && !a.lateFor.contains(id) {
      let counts = race.entries.contains { $0.athlete == a.athlete && $0.status == "completed" && !isOut($0) }
      if counts { races[id]?.late.insert(a.id) }
    }
  }

  /// Whether a disqualified activity keeps the entry out: one that came in time, disqualified since the entry.
  func isOut(_ entry: Entry) -> Bool {
    activities.values.contains {
      $0.athlete == entry.athlete && $0.status == .disqualified && $0.cameInTime
        && $0.disqualifiedAs > entry.enteredAs
    }
  }

  /// Whether the database, which knows instants alone, may find that an activity keeps an entry of this athlete out.
  func isAmbiguous(_ athlete: Int64) -> Bool {
    let spoilers = activities.values.filter { $0.athlete == athlete && $0.disqualifiedAs > 0 }
    return races.values.flatMap(\.entries).contains { entry in
      entry.athlete == athlete
        && spoilers.contains { $0.disqualifiedAt == entry.enteredAt && $0.disqualifiedAs < entry.enteredAs }
    }
  }

  /// Entries of an open race that are not out any more pay what went back.
  private mutating func takePart(again id: Int64) {
    guard var race = races[id] else { return }
    for index in race.entries.indices where race.entries[index].status == "disqualified" {
      guard !isOut(race.entries[index]) else { continue }
      wallets[race.entries[index].athlete, default: .init()].book(-race.fee, of: id, at: hour)
      race.entries[index].status = "entered"
      race.entries[index].isRefunded = false
    }
    races[id] = race
  }

  private mutating func noteVerified(_ activity: Int64) {
    guard let a = activities[activity], a.status == .verified, a.cameInTime, a.isThere else { return }
    for id in races.keys where races[id]?.status == "settled" && races[id]?.held.contains(activity) ?? false {
      guard !a.lateFor.contains(id) else { continue }
      races[id]?.late.insert(activity)
    }
  }

  // MARK: What jobs do.

  mutating func validate() {
    for id in activities.keys where activities[id]?.status == .pending {
      let isBad = activities[id]?.isBad ?? false
      activities[id]?.status = isBad ? .rejected : .verified
      activities[id]?.wasValidated = true
      activities[id]?.doubt()
      noteVerified(id)
    }
  }

  mutating func escalate() {
    for (id, a) in activities where [.pending, .verified].contains(a.status) && a.hasEnoughFlags {
      activities[id]?.status = .underReview
      activities[id]?.hasReview = true
    }
  }

  mutating func cancel(_ id: Int64) -> Bool {
    guard var race = races[id], race.status == "open" else { return false }
    for index in race.entries.indices {
      refund(&race.entries[index], race.fee, as: isOut(race.entries[index]) ? "disqualified" : "refunded")
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
        for index in race.entries.indices where isOut(race.entries[index]) {
          refund(&race.entries[index], race.fee, as: "disqualified")
        }
        if isDue, !waits(race) { first(&race) }
      } else if !race.isVoid {
        again(&race)
      }
      races[id] = race
    }
  }
}
