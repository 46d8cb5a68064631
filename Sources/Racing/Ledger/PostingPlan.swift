import Money

/// The postings of some journals, one after the other, and what the wallets hold after them.
///
/// Pure. The wallets are locked before they are read. Source: Racing.docc/Ledger.md.
struct PostingPlan: Sendable {
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
  private(set) var wallets: [Int64: WalletState]

  /// Throws `SettlementError` where an athlete has no wallet, `MoneyError` where amounts have no sum.
  init(_ journals: [JournalDraft], wallets: [Int64: WalletState]) throws {
    self.wallets = wallets
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
      for line in journal.lines { try book(line, in: journal.key) }
    }
  }

  /// The wallet has a posting even where all of it went to or came from the receivable: the athlete sees it.
  private mutating func book(_ line: LedgerLine, in key: String) throws {
    let athlete = line.athleteId
    guard var state = wallets[athlete] else {
      throw SettlementError(.corrupt, "athlete \(athlete) has no wallet")
    }
    let (wallet, receivable) = try state.book(line.amount, repaysFirst: line.repaysFirst)
    wallets[athlete] = state
    postings.append(
      Posting(
        journalKey: key, account: "wallet", athleteId: athlete, entryId: line.entryId, amount: wallet,
        balance: state.balance))
    if receivable != .zero {
      postings.append(
        Posting(
          journalKey: key, account: "receivable", athleteId: athlete, entryId: line.entryId, amount: receivable))
    }
  }
}
