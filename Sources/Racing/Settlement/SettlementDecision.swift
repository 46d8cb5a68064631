import Engine
package import Money
package import Postgres
import SystemCrypto
import TextCoding

/// The decision of the race-settlement job: wait, or who is paid what.
///
/// Pure: the same input has the same answer, regardless of the order of its entries. Source: Racing.docc/Settlement.md.
package enum Settlement {
  /// Waits until due_at, then while held activities or claims can change a payout, at the longest until the hold ends.
  ///
  /// Throws `MoneyError` for a fee below zero, and where the fees have no sum in 64 bits.
  package static func decide(_ input: SettlementInput) throws(MoneyError) -> SettlementDecision {
    if input.now < input.dueAt { return .wait(.grace, until: input.dueAt, activities: []) }
    if let wait = Hold(input).wait { return wait }
    return .settle(try settle(input))
  }

  /// The result of settling now, without held activities and claims; for a dry run and an override of grace and hold.
  ///
  /// Nobody ranked: void, every entry's own fee is refunded and nothing else booked. Throws as `decide` does.
  package static func settle(_ input: SettlementInput) throws(MoneyError) -> SettlementResult {
    let fees = try Fee.sum(input.entries.lazy.map(\.fee))
    let ranking = Ranking(input.entries, type: input.type)
    guard !ranking.groups.isEmpty else { return void(ranking) }

    let platformFee = try Fee.platform(fees: fees, percent: input.percent)
    let pool = try fees - platformFee
    let prizes = try PrizeSplit.entries(
      pool: pool, shares: input.shares, tieGroups: ranking.groups.map(\.members.count))
    let ranked = ranking.entries(prizes: prizes)
    return SettlementResult(
      outcome: .paid, fees: fees, platformFee: platformFee, pool: pool, ranking: ranked,
      payouts: payouts(of: ranked), refunds: [])
  }

  private static func void(_ ranking: Ranking) -> SettlementResult {
    let refunds = ranking.unranked.filter { $0.fee > .zero }
      .map { Refund(entryId: $0.id, athleteId: $0.athleteId, amount: $0.fee) }
    return SettlementResult(
      outcome: .void, fees: .zero, platformFee: .zero, pool: .zero, ranking: ranking.entries(prizes: []), payouts: [],
      refunds: refunds)
  }

  private static func payouts(of ranked: [RankedEntry]) -> [Payout] {
    ranked.compactMap { entry in
      guard let rank = entry.rank, entry.prize > .zero else { return nil }
      return Payout(place: rank, entryId: entry.entryId, athleteId: entry.athleteId, amount: entry.prize)
    }
    .sorted { ($0.place, $0.entryId) < ($1.place, $1.entryId) }
  }
}

/// The reason that a race is not settled yet.
package enum WaitReason: String, Sendable {
  /// Its due instant has not come.
  case grace
  /// Activities are held, and perhaps claims.
  case review
  /// Claims alone: it would be settled if the provider refused them.
  case provider
}

/// The next state of a race that has ended.
package enum SettlementDecision: Hashable, Sendable {
  /// The race is due again at `until`, or when an input changes. `activities` are the held ones and the claims that may
  /// change a payout, by id; there are none while the grace runs.
  case wait(WaitReason, until: Timestamp, activities: [Int64])
  case settle(SettlementResult)
}

/// Everything a settlement depends on, read under the race's lock.
///
/// The order of `entries`, `held`, `claims` and `unlisted` means nothing.
package struct SettlementInput: Hashable, Sendable {
  package var raceId: Int64
  package var type: RaceType
  package var shares: PrizeShares
  package var percent: Percent
  package var entryFee: Pence
  package var dueAt: Timestamp
  /// The instant after which nothing is waited for: due_at and the race's review hold.
  package var holdUntil: Timestamp
  package var entries: [EntryInput]
  package var held: [HeldActivity]
  /// The open claims of athletes with an entry, whether or not they still hold.
  package var claims: [HeldClaim]
  /// The entrants whom the provider's limit of reads keeps from being listed.
  package var unlisted: [UnlistedEntrant]
  /// The business clock, read once after the locks.
  package var now: Timestamp

  package init(
    raceId: Int64, type: RaceType, shares: PrizeShares, percent: Percent, entryFee: Pence, dueAt: Timestamp,
    holdUntil: Timestamp, entries: [EntryInput], held: [HeldActivity], claims: [HeldClaim] = [],
    unlisted: [UnlistedEntrant] = [], now: Timestamp
  ) {
    self.raceId = raceId
    self.type = type
    self.shares = shares
    self.percent = percent
    self.entryFee = entryFee
    self.dueAt = dueAt
    self.holdUntil = holdUntil
    self.entries = entries
    self.held = held
    self.claims = claims
    self.unlisted = unlisted
    self.now = now
  }
}

/// An entry that is neither disqualified nor refunded, as the settlement reads it.
package struct EntryInput: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64
  package let enteredAt: Timestamp
  /// The fee that this entry was charged, in pence.
  package let fee: Pence
  /// The best of the activities that count regardless of the reviews; nil if there is none.
  package let minScore: BestScore?
  /// The best when the held activities count too; nil where there is none, never worse than `minScore`.
  package let maxScore: BestScore?

  package init(
    id: Int64, athleteId: Int64, enteredAt: Timestamp, fee: Pence, minScore: BestScore?,
    maxScore: BestScore?
  ) {
    self.id = id
    self.athleteId = athleteId
    self.enteredAt = enteredAt
    self.fee = fee
    self.minScore = minScore
    self.maxScore = maxScore
  }
}

/// The best score of an athlete in a race, and the activity that names it.
package struct BestScore: Hashable, Sendable {
  /// In the unit of the race's type, see `RaceType`.
  package let score: Int64
  package let activityId: Int64

  package init(score: Int64, activityId: Int64) {
    self.score = score
    self.activityId = activityId
  }
}

/// A held activity that would count in the race with a score better than its athlete's `minScore`.
package struct HeldActivity: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64

  package init(id: Int64, athleteId: Int64) {
    self.id = id
    self.athleteId = athleteId
  }
}

/// A claim that the provider has not confirmed yet, by whose claimed start it would count in the race.
package struct HeldClaim: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64
  /// The end of its hold; a race that would otherwise be void waits longer.
  package let until: Timestamp

  package init(id: Int64, athleteId: Int64, until: Timestamp) {
    self.id = id
    self.athleteId = athleteId
    self.until = until
  }
}

/// An entrant of whom something is still to be read for the results.
package struct UnlistedEntrant: Hashable, Sendable {
  package let athleteId: Int64
  /// The end of the hold; a race that would otherwise be void waits longer.
  package let until: Timestamp

  package init(athleteId: Int64, until: Timestamp) {
    self.athleteId = athleteId
    self.until = until
  }
}

extension SettlementInput {
  /// A dry run shows it, a command may expect it, and a settlement keeps it.
  var hash: String { InputHash.text(of: canonicalInput) }

  /// The inputs as a text that is equal for equal inputs, regardless of the order in which they were read.
  ///
  /// It holds what decides who is paid what; `now`, `dueAt` and the ends of holds only say when. The race has one line,
  /// each entry has one by id, and so have each held activity, each claim and
  /// each entrant who is not listed. Instants are microseconds since 1970,
  /// amounts are pence, a missing score is `-`. The first word names the format: it changes with the format.
  package var canonicalInput: String {
    var text = CanonicalText()
    text.line(
      "settlement-2 \(raceId) \(type.rawValue) \(shares) \(percent) \(entryFee.amount)")
    for entry in entries.sorted(by: { $0.id < $1.id }) { text.entry(entry) }
    for activity in held.sorted(by: { ($0.id, $0.athleteId) < ($1.id, $1.athleteId) }) {
      text.line("held \(activity.id) \(activity.athleteId)")
    }
    for claim in claims.sorted(by: { ($0.id, $0.athleteId) < ($1.id, $1.athleteId) }) {
      text.line("claim \(claim.id) \(claim.athleteId)")
    }
    for entrant in unlisted.map(\.athleteId).sorted() { text.line("unlisted \(entrant)") }
    return text.text
  }
}

/// Identifies inputs by their canonical text.
enum InputHash {
  /// The SHA-256 of the text, in hexadecimal digits.
  static func text(of canonical: String) -> String { Hexadecimal.text(SHA256.digest(Array(canonical.utf8))) }
}

/// Text written byte by byte: a herd has hundreds of thousands of numbers, and interpolation takes ten times as long.
private struct CanonicalText {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func line(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func entry(_ entry: EntryInput) {
    bytes.append(contentsOf: "entry".utf8)
    for number in [entry.id, entry.athleteId, entry.enteredAt.microseconds, entry.fee.amount] {
      bytes.append(UInt8(ascii: " "))
      append(number)
    }
    for best in [entry.minScore, entry.maxScore] {
      bytes.append(UInt8(ascii: " "))
      if let best {
        append(best.score)
        bytes.append(UInt8(ascii: ":"))
        append(best.activityId)
      } else {
        bytes.append(UInt8(ascii: "-"))
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var (left, right) = (start, bytes.count - 1)
    while left < right {
      bytes.swapAt(left, right)
      (left, right) = (left + 1, right - 1)
    }
  }
}

/// Entries in the order of their scores.
///
/// Settlement and leaderboard rank with this. Source: Racing.docc/Settlement.md, "Ranking".
struct Ranking {
  /// One rank: its entries have equal scores and stand in the order of entered_at, then id.
  struct Group {
    let rank: Int
    let score: Int64
    let members: [(entry: EntryInput, best: BestScore)]
  }

  /// Best first; competition ranking, so a rank is one more than the number of entries before it.
  let groups: [Group]
  /// Entries without a score, by id.
  let unranked: [EntryInput]

  init(_ entries: [EntryInput], type: RaceType) {
    let scored = entries.compactMap { entry in entry.minScore.map { (entry: entry, best: $0) } }
    let ordered = scored.sorted { left, right in
      let (first, second) = (type.merit(of: left.best.score), type.merit(of: right.best.score))
      if first != second { return first > second }
      return (left.entry.enteredAt, left.entry.id) < (right.entry.enteredAt, right.entry.id)
    }
    var groups: [Group] = []
    var start = 0
    while start < ordered.count {
      let score = ordered[start].best.score
      let members = ordered[start...].prefix { $0.best.score == score }
      groups.append(Group(rank: start + 1, score: score, members: Array(members)))
      start += members.count
    }
    self.groups = groups
    unranked = entries.filter { $0.minScore == nil }.sorted { $0.id < $1.id }
  }
}

extension Ranking {
  /// Every entry with its rank and prize; `prizes` are those of the ranked entries in order, and absent ones are zero.
  func entries(prizes: [Pence]) -> [RankedEntry] {
    var remaining = prizes.makeIterator()
    let ranked = groups.flatMap { group in
      group.members.map { entry, best in
        RankedEntry(
          entryId: entry.id, athleteId: entry.athleteId, rank: group.rank, score: best.score,
          activityId: best.activityId, prize: remaining.next() ?? .zero)
      }
    }
    let others = unranked.map {
      RankedEntry(
        entryId: $0.id, athleteId: $0.athleteId, rank: nil, score: nil, activityId: nil, prize: .zero)
    }
    return ranked + others
  }
}

/// The bookings of a settlement.
///
/// Always: fees = platform fee + the sum of the payouts, and what the entries were charged = fees + the sum of the
/// refunds. So a void race, which refunds everything, has fees, platform fee and pool of zero.
package struct SettlementResult: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case paid
    case void
  }

  package let outcome: Outcome
  package let fees: Pence
  package let platformFee: Pence
  package let pool: Pence
  /// Every entry: by rank, within a rank by entered_at, then id; those without a score last, by id.
  package let ranking: [RankedEntry]
  /// By place, then entry id.
  package let payouts: [Payout]
  /// By entry id; empty unless void.
  package let refunds: [Refund]
}

/// Where an entry stands.
package struct RankedEntry: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  /// Competition ranking (1, 2, 2, 4); nil without a score.
  package let rank: Int?
  package let score: Int64?
  package let activityId: Int64?
  package let prize: Pence
}

/// A prize that is paid: never zero pence.
package struct Payout: Hashable, Sendable {
  /// The entry's rank, 1 to 3; tied entries share it.
  package let place: Int
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
}

/// A fee that goes back in full because the race is void: never zero pence.
package struct Refund: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
  /// How often the fee went back before and was taken again.
  package var reinstatements: Int64 = 0
}

extension SettlementResult {
  /// `[{place, entryId, athleteId, amountPence}]`, as the contract shows payouts everywhere.
  var payoutsJSON: JSONValue {
    .array(
      payouts.map { payout in
        [
          "place": .integer(Int64(payout.place)), "entryId": .integer(payout.entryId),
          "athleteId": .integer(payout.athleteId), "amountPence": .integer(payout.amount.amount),
        ]
      })
  }
}
