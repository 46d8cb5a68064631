import Money
import Postgres

/// A race's own row, as settlement and correction read it.
struct RaceHead {
  let id: Int64
  let status: String
  let type: RaceType
  let shares: PrizeShares
  let percent: Percent
  let entryFee: Pence
  let dueAt: Timestamp
  let holdUntil: Timestamp

  /// Never inlined: within an asynchronous function it ends Swift 6.3.1's optimiser with signal 11.
  @inline(never)
  static func decode(_ rows: Rows) throws -> [RaceHead] {
    try rows.decode(
      Int64.self, String.self, String.self, [Int64].self, Int64.self, Int64.self, Timestamp.self, Timestamp.self
    ).map { id, status, typeName, shares, percent, fee, dueAt, holdUntil in
      guard let type = RaceType(rawValue: typeName), shares.count == 3 else {
        throw SettlementError(.corrupt, "race \(id) has an unknown type or not three prize shares")
      }
      return RaceHead(
        id: id, status: status, type: type, shares: try PrizeShares(shares[0], shares[1], shares[2]),
        percent: try Percent(hundredths: percent), entryFee: Pence(fee), dueAt: dueAt, holdUntil: holdUntil)
    }
  }

  func input(_ entries: [EntryInput], held: [HeldActivity] = [], now: Timestamp) -> SettlementInput {
    SettlementInput(
      raceId: id, type: type, shares: shares, percent: percent, entryFee: entryFee, dueAt: dueAt,
      holdUntil: holdUntil, entries: entries, held: held, now: now)
  }
}
