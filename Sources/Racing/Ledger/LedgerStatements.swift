import Money
import Postgres

/// The set-based writes of the ledger. Races are locked before; all wallets of a
/// batch follow, in one ordered statement.
enum LedgerStatements {
  static func lockWallets(_ athletes: [Int64]) -> Statement {
    """
    SELECT athlete_id, balance_pence, receivable_pence FROM racing.wallet WHERE athlete_id = ANY(\(athletes))
    ORDER BY athlete_id FOR NO KEY UPDATE
    """
  }

  static func lockFreeWallets(_ athletes: [Int64]) -> Statement {
    """
    SELECT athlete_id FROM racing.wallet WHERE athlete_id = ANY(\(athletes))
    ORDER BY athlete_id FOR NO KEY UPDATE SKIP LOCKED
    """
  }

  static func wallets(_ athletes: [Int64]) -> Statement {
    "SELECT athlete_id FROM racing.wallet WHERE athlete_id = ANY(\(athletes))"
  }

  /// Locks the wallets that are free, without waiting; returns the athletes whose wallets are not.
  static func lockFree(_ athletes: [Int64], in transaction: Transaction) async throws -> Set<Int64> {
    let replies = try await transaction.pipeline([lockFreeWallets(athletes), wallets(athletes)])
    let all: [Int64] = try replies[1].decode(Int64.self)
    let free: [Int64] = try replies[0].decode(Int64.self)
    return Set(all).subtracting(free)
  }

  /// 1. The journals without their postings, which `postings` writes in the same transaction.
  static func journals(_ journals: [JournalDraft], at now: Timestamp) -> [CheckedStatement] {
    journals.isEmpty ? [] : [CheckedStatement(write(journals, at: now), rows: journals.count)]
  }

  /// 2. The wallets that the journals touch, locked in one order.
  static func walletLocks(_ journals: [JournalDraft]) -> [CheckedStatement] {
    let athletes = Set(journals.flatMap(\.lines).map(\.athleteId)).sorted()
    return journals.isEmpty ? [] : [CheckedStatement(lockWallets(athletes), rows: nil)]
  }

  /// 3. The postings, then the wallets, from the answer to `walletLocks`; both go with COMMIT.
  static func postings(_ journals: [JournalDraft], wallets: Rows?) throws -> [CheckedStatement] {
    guard !journals.isEmpty, let wallets else { return [] }
    return statements(try PostingPlan(journals, wallets: states(wallets)))
  }

  /// The same for no journal: what comes before the postings, and from the locks of the wallets on.
  static func ofNothing(at now: Timestamp) -> (opening: [Statement], closing: [Statement]) {
    let written = [write([PostingPlan.Posting]()), write(ArraySlice<(key: Int64, value: WalletState)>())]
    return ([write([], at: now)], [lockWallets([])] + written.map { CheckedStatement($0, rows: 0).onServer })
  }

  static func statements(_ plan: PostingPlan) -> [CheckedStatement] {
    let wallets = Array(plan.wallets)
    return [CheckedStatement(write(plan.postings), rows: plan.postings.count)]
      + stride(from: 0, to: wallets.count, by: walletsMax).map { first in
        let some = wallets[first..<min(first + walletsMax, wallets.count)]
        return CheckedStatement(write(some), rows: some.count)
      }
  }

  /// So many wallets of one statement stay far below its time limit.
  private static let walletsMax = 100_000

  private static func states(_ rows: Rows) throws(PostgresError) -> [Int64: WalletState] {
    var states: [Int64: WalletState] = [:]
    for (athlete, balance, receivable) in try rows.decode(Int64.self, Int64.self, Int64.self) {
      states[athlete] = WalletState(balance: Pence(balance), receivable: Pence(receivable))
    }
    return states
  }

  private static func write(_ journals: [JournalDraft], at now: Timestamp) -> Statement {
    """
    INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
    SELECT j.kind, j.key, j.race, j.description, \(now)
    FROM unnest(\(journals.map(\.kind.rawValue)), \(journals.map(\.key)), \(journals.map(\.raceId)),
      \(journals.map(\.description))) WITH ORDINALITY AS j(kind, key, race, description, place) ORDER BY j.place
    """
  }

  /// One statement, so that each journal sums to zero in it; in order, so that ids follow the running balances.
  private static func write(_ postings: [PostingPlan.Posting]) -> Statement {
    """
    INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
    SELECT j.id, p.account, p.athlete, p.race, p.entry, p.amount, p.balance
    FROM unnest(\(postings.map(\.journalKey)), \(postings.map(\.account)), \(postings.map(\.athleteId)),
      \(postings.map(\.raceId)), \(postings.map(\.entryId)), \(postings.map(\.amount.amount)),
      \(postings.map { $0.balance?.amount }))
      WITH ORDINALITY AS p(key, account, athlete, race, entry, amount, balance, place)
    JOIN racing.journal AS j ON j.idempotency_key = p.key
    ORDER BY p.place
    """
  }

  private static func write(_ wallets: ArraySlice<(key: Int64, value: WalletState)>) -> Statement {
    """
    UPDATE racing.wallet AS w SET balance_pence = p.balance, receivable_pence = p.receivable
    FROM unnest(\(wallets.map(\.key)), \(wallets.map(\.value.balance.amount)), \(wallets.map(\.value.receivable.amount)))
      AS p(athlete, balance, receivable)
    WHERE w.athlete_id = p.athlete
    """
  }
}
