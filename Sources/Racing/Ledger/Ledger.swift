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
    [CheckedStatement(write(plan.postings), rows: plan.postings.count)]
      + CheckedStatement.writing(Array(plan.wallets), write)
  }

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

/// The gain or loss of an athlete in one journal.
struct LedgerLine: Hashable, Sendable {
  let athleteId: Int64
  let entryId: Int64
  /// Negative: taken back.
  let amount: Pence
  /// Whether a gain repays what the athlete owes first: prizes and corrections do, a fee that goes back does not.
  let repaysFirst: Bool
}

/// A journal to be booked: what leaves the race's pool and what the platform gains stand against the lines.
struct JournalDraft: Sendable {
  enum Kind: String, Sendable {
    case prize, refund, correction
  }

  let kind: Kind
  /// Makes a second booking impossible.
  let key: String
  let raceId: Int64
  let description: String
  /// The pence that leave the pool account of the race; zero where nothing does.
  let pool: Pence
  /// The one entry whose fee leaves the pool, where it is one.
  var poolEntry: Int64?
  /// The platform's gain; negative where it gives back.
  var platform = Pence.zero
  let lines: [LedgerLine]
}

extension JournalDraft {
  /// The fee of a disqualified entry goes back, before or with the settlement.
  ///
  /// An entry that came back may be disqualified again: each of its refunds has a key of its own.
  static func refund(_ refund: Refund, race: Int64) -> JournalDraft {
    let number = refund.reinstatements == 0 ? "" : "/\(refund.reinstatements)"
    return JournalDraft(
      kind: .refund, key: "entry/\(refund.entryId)/refund\(number)", raceId: race,
      description: "Entry fee of a disqualified entry, race \(race)", pool: refund.amount, poolEntry: refund.entryId,
      lines: [
        LedgerLine(
          athleteId: refund.athleteId, entryId: refund.entryId, amount: refund.amount, repaysFirst: false)
      ])
  }

  /// The prizes of a race, or the fees of a void one; nil where there are none.
  static func settlement(of race: Int64, _ result: SettlementResult) throws(MoneyError) -> JournalDraft? {
    let key = "race/\(race)/settlement/1"
    if result.outcome == .paid {
      return JournalDraft(
        kind: .prize, key: key, raceId: race, description: "Prizes of race \(race)", pool: result.fees,
        platform: result.platformFee,
        lines: result.payouts.map {
          LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: true)
        })
    }
    return try refunds(result.refunds, key: key, race: race, description: "Entry fees of void race \(race)")
  }

  /// Fees that go back in full; nil where there are none.
  static func refunds(
    _ refunds: [Refund], key: String, race: Int64, description: String
  ) throws(MoneyError) -> JournalDraft? {
    guard !refunds.isEmpty else { return nil }
    return JournalDraft(
      kind: .refund, key: key, raceId: race, description: description, pool: try Pence.sum(refunds.map(\.amount)),
      lines: refunds.map {
        LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: false)
      })
  }

  /// The differences of a revision to the one before; nil where there are none. The pool is empty since revision 1.
  static func correction(of race: Int64, _ revision: Revision) -> JournalDraft? {
    guard !revision.netAmounts.isEmpty else { return nil }
    return JournalDraft(
      kind: .correction, key: "race/\(race)/settlement/\(revision.number)", raceId: race,
      description: "Correction \(revision.number) of race \(race)", pool: .zero, platform: revision.platformChange,
      lines: revision.netAmounts.map {
        LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: true)
      })
  }
}

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

/// The money that an athlete has and owes while a batch is booked.
///
/// Pure: where money goes is decided here. Source: Racing.docc/Corrections.md, "Taking back".
struct WalletState: Hashable, Sendable {
  var balance: Pence
  var receivable: Pence

  /// Books a gain or a loss and returns what the two accounts gain.
  ///
  /// A gain repays the receivable first where it is of that kind. A loss is taken from the wallet as far as the balance
  /// reaches; the rest is owed, and the account of what is owed goes down by it. Throws `MoneyError` without a sum.
  mutating func book(_ amount: Pence, repaysFirst: Bool) throws(MoneyError) -> (wallet: Pence, receivable: Pence) {
    let owed: Pence
    if amount < .zero {
      owed = min(.zero, try balance + amount)
    } else {
      owed = repaysFirst ? min(amount, receivable) : .zero
    }
    let own = try amount - owed
    balance = try balance + own
    receivable = try receivable - owed
    return (own, owed)
  }
}

/// A statement of a pipeline and how many rows it must touch.
struct CheckedStatement {
  let statement: Statement
  /// Nil where the number is not checked.
  let rows: Int?

  init(_ statement: Statement, rows: Int?) {
    self.statement = statement
    self.rows = rows
  }

  /// So many rows of one statement stay far below its time limit, and take little memory at once.
  private static let rowsMax = 100_000

  /// Statements that write each of many rows once.
  static func writing<Row>(_ rows: [Row], _ write: (ArraySlice<Row>) -> Statement) -> [CheckedStatement] {
    stride(from: 0, to: rows.count, by: rowsMax).map { first in
      let some = rows[first..<min(first + rowsMax, rows.count)]
      return CheckedStatement(write(some), rows: some.count)
    }
  }

  /// Runs all in one round trip.
  ///
  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to.
  @discardableResult
  static func run(_ statements: [CheckedStatement], in transaction: Transaction) async throws -> [Rows] {
    let replies = try await transaction.pipeline(statements.map(\.statement))
    for (checked, reply) in zip(statements, replies) where checked.rows.map({ $0 != reply.affected }) ?? false {
      throw SettlementError(
        .written, "a settlement wrote \(reply.affected) rows, but \(checked.rows ?? 0) were expected")
    }
    return replies
  }

  /// Runs all in the round trip of COMMIT, where the server counts: other rows than those decided, and nothing is
  /// committed.
  static func runBeforeCommit(_ statements: [CheckedStatement], in transaction: Transaction) {
    for checked in statements { transaction.beforeCommit(checked.onServer) }
  }

  /// The statement, which the server refuses (P0004) where it touches other rows.
  var onServer: Statement {
    guard let rows else { return statement }
    return """
      WITH written AS (\(fragment: statement) RETURNING 1)
      SELECT settled.expect_rows(count(*), \(Int64(rows))) FROM written
      """
  }
}

/// The rule that a settlement finds broken: the transaction is rolled back and the race recorded as failing.
package struct SettlementError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The rows that were written are not those that were decided.
    case written
    /// Stored data breaks its own rules.
    case corrupt
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
