import Engine
import Operations
import Postgres

/// The check of the ledger that `doctor` makes without reading all of it: what the last audit found,
/// and whether the newest part adds up.
enum LedgerCheck {
  /// How many of the newest postings, and of the newest links of the chain, are read.
  static let newestMax: Int64 = 5000

  static let check = Check("ledger") { try await finding($0) }

  static func finding(newestMax: Int64 = newestMax, _ transaction: Transaction) async throws -> Check.Finding {
    let (audit, differences) = try await transaction.query(lastAudit).one(Timestamp?.self, Int64.self)
    let (postings, books) = try await transaction.query(newest(newestMax)).one(Int64.self, Int64.self)
    let (links, chain) = try await LedgerChain.newest(newestMax, transaction)
    var wrong = [(books, "in the balances"), (chain, "in the journal chain")].filter { $0.0 > 0 }
      .map { "\($0.0.counted("difference")) \($0.1)" }
    let last = audit.map { "the audit of \($0)" } ?? "the last audit"
    if differences > 0 { wrong.append("\(differences.counted("difference")) that \(last) found") }
    guard wrong.isEmpty else {
      return .init(
        wrong.joined(separator: ", "), ok: false, remedy: "settlectl ledger verify; stop withdrawals")
    }
    let now = "the newest \(postings.counted("posting")) and \(links.counted("link")) of the chain add up"
    return .init(
      audit == nil
        ? "\(now); no audit has run yet: settlectl ledger verify checks everything"
        : "\(last) found no difference, and \(now)")
  }

  /// When the last audit ended that ran to its end, null where there was none, and how many differences it found.
  static let lastAudit: Statement = """
    SELECT (SELECT o.finished_at FROM settled.occurrence AS o
        WHERE o.schedule = \(LedgerAudit.name) AND o.status = 'ran' ORDER BY o.instant DESC LIMIT 1),
      (SELECT count(*) FROM racing.ledger_difference)
    """

  /// How many of the newest postings there are, and how often they do not add up: journals that do not sum to zero,
  /// postings of wallets that do not follow from the one before, and wallets with another balance than their last one.
  ///
  /// A journal that begins before them is left to the audit. All is read along indexes.
  static func newest(_ max: Int64) -> Statement {
    """
    WITH newest AS MATERIALIZED (
      SELECT p.id, p.journal_id, p.account, p.athlete_id, p.amount_pence, p.balance_pence
      FROM racing.posting AS p ORDER BY p.id DESC LIMIT \(max)
    ), uneven AS (
      SELECT s.journal_id
      FROM (SELECT n.journal_id FROM newest AS n GROUP BY n.journal_id HAVING sum(n.amount_pence) <> 0) AS s
      WHERE NOT EXISTS (
        SELECT FROM racing.posting AS p
        WHERE p.journal_id = s.journal_id AND p.id < (SELECT min(n.id) FROM newest AS n))
    ), broken AS (
      SELECT n.id FROM newest AS n
      WHERE n.account = 'wallet' AND n.balance_pence <> n.amount_pence + coalesce((
        SELECT p.balance_pence FROM racing.posting AS p
        WHERE p.athlete_id = n.athlete_id AND p.account = 'wallet' AND p.id < n.id ORDER BY p.id DESC LIMIT 1), 0)
    ), wallet AS (
      SELECT l.athlete_id
      FROM (SELECT DISTINCT ON (n.athlete_id) n.athlete_id, n.balance_pence FROM newest AS n WHERE n.account = 'wallet'
            ORDER BY n.athlete_id, n.id DESC) AS l
      WHERE l.balance_pence IS DISTINCT FROM (
        SELECT w.balance_pence FROM racing.wallet AS w WHERE w.athlete_id = l.athlete_id)
    )
    SELECT (SELECT count(*) FROM newest),
      (SELECT count(*) FROM uneven) + (SELECT count(*) FROM broken) + (SELECT count(*) FROM wallet)
    """
  }
}
