import Money

/// The postings of some journals, one after the other, and what the wallets hold after them.
///
/// Pure: who is asked for the purses has locked them. Source: Racing.docc/Ledger.md.
struct Booking: Sendable {
  struct Posting: Hashable, Sendable {
    let journalKey: String
    let account: String
    var athleteId: Int64?
    var raceId: Int64?
    var entryId: Int64?
    let amount: Pence
    /// Of the wallet, just after.
    var balance: Pence?
  }

  private(set) var postings: [Posting] = []
  private(set) var purses: [Int64: Purse]

  /// Throws `SettlementError` where an athlete has no purse, `MoneyError` where amounts have no sum.
  init(_ journals: [JournalDraft], purses: [Int64: Purse]) throws {
    self.purses = purses
    for journal in journals {
      if journal.pool != .zero {
        let amount = try Pence.zero - journal.pool
        postings.append(
          Posting(
            journalKey: journal.key, account: "pool", raceId: journal.raceId, entryId: journal.poolEntry,
            amount: amount))
      }
      if journal.platform != .zero {
        postings.append(Posting(journalKey: journal.key, account: "platform", amount: journal.platform))
      }
      for movement in journal.movements { try book(movement, in: journal.key) }
    }
  }

  /// The wallet has a posting even where all of it went to or came from the receivable: the athlete sees it.
  private mutating func book(_ movement: Movement, in key: String) throws {
    let athlete = movement.athleteId
    guard var purse = purses[athlete] else {
      throw SettlementError(.corrupt, "athlete \(athlete) has no wallet")
    }
    let (wallet, receivable) = try purse.book(movement.amount, repaysFirst: movement.repaysFirst)
    purses[athlete] = purse
    postings.append(
      Posting(
        journalKey: key, account: "wallet", athleteId: athlete, entryId: movement.entryId, amount: wallet,
        balance: purse.balance))
    if receivable != .zero {
      postings.append(
        Posting(
          journalKey: key, account: "receivable", athleteId: athlete, entryId: movement.entryId, amount: receivable))
    }
  }
}
