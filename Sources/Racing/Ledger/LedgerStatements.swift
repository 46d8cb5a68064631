import Money
import Postgres

/// The set-based writes of the ledger. Races are locked already; then all wallets of a batch, in one ordered statement.
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

  /// Locks the wallets that are free, without waiting; yields the athletes whose wallets are not.
  static func lockFree(_ athletes: [Int64], in transaction: Transaction) async throws -> Set<Int64> {
    let replies = try await transaction.pipeline([lockFreeWallets(athletes), wallets(athletes)])
    let all: [Int64] = try replies[1].decode(Int64.self)
    let free: [Int64] = try replies[0].decode(Int64.self)
    return Set(all).subtracting(free)
  }

  /// The journals without their postings, which `book` writes in the same transaction.
  static func journals(_ journals: [JournalDraft], at now: Timestamp) -> [Step] {
    journals.isEmpty ? [] : [Step(write(journals, at: now), rows: journals.count)]
  }

  /// Runs the steps and locks the wallets that the journals touch; postings and wallets are written with COMMIT.
  static func book(_ journals: [JournalDraft], after steps: [Step], in transaction: Transaction) async throws {
    let athletes = Set(journals.flatMap(\.movements).map(\.athleteId)).sorted()
    let lock = journals.isEmpty ? [] : [Step(lockWallets(athletes), rows: nil)]
    let replies = try await Step.run(steps + lock, in: transaction)
    guard !journals.isEmpty, let wallets = replies.last else { return }
    Step.runBeforeCommit(Self.steps(try Booking(journals, purses: purses(wallets))), in: transaction)
  }

  static func steps(_ booking: Booking) -> [Step] {
    [
      Step(write(booking.postings), rows: booking.postings.count),
      Step(write(booking.purses), rows: booking.purses.count),
    ]
  }

  /// Never inlined: within an asynchronous function such a decoding ends Swift 6.3.1's optimiser with signal 11.
  @inline(never)
  private static func purses(_ rows: Rows) throws(PostgresError) -> [Int64: Purse] {
    var purses: [Int64: Purse] = [:]
    for (athlete, balance, receivable) in try rows.decode(Int64.self, Int64.self, Int64.self) {
      purses[athlete] = Purse(balance: Pence(balance), receivable: Pence(receivable))
    }
    return purses
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
  private static func write(_ postings: [Booking.Posting]) -> Statement {
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

  private static func write(_ purses: [Int64: Purse]) -> Statement {
    """
    UPDATE racing.wallet AS w SET balance_pence = p.balance, receivable_pence = p.receivable
    FROM unnest(\(purses.map(\.key)), \(purses.map(\.value.balance.amount)), \(purses.map(\.value.receivable.amount)))
      AS p(athlete, balance, receivable)
    WHERE w.athlete_id = p.athlete
    """
  }
}
