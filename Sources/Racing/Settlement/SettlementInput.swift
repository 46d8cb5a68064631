package import Money
package import Postgres

/// Everything a settlement depends on, read under the race's lock.
///
/// The order of `entries` and `held` means nothing.
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
  /// The business clock, read once after the locks.
  package var now: Timestamp

  package init(
    raceId: Int64, type: RaceType, shares: PrizeShares, percent: Percent, entryFee: Pence, dueAt: Timestamp,
    holdUntil: Timestamp, entries: [EntryInput], held: [HeldActivity], now: Timestamp
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
    self.now = now
  }
}
