import Engine
import Money
import Postgres

/// Writes what was decided about a batch of races, set by set; `write` has the order.
///
/// The races are locked before. What needs no wallet comes before the wallets are locked, because everybody who
/// deposits or enters waits for the wallets until the commit.
struct SettlementWrites {
  private var waits: [CheckedStatement] = []
  private var revisions: [RevisionRow] = []
  private var journals: [JournalDraft] = []
  private var entries: [EntryUpdate] = []
  /// Disqualified entries whose fee goes back apart from any settlement.
  private var refunded: [Int64] = []
  private var reinstated: [Int64] = []
  private let races: [Int64]
  private let now: Timestamp

  init(_ outcomes: [SettlementOutcome], now: Timestamp) throws {
    self.now = now
    races = outcomes.map(\.raceId)
    for outcome in outcomes {
      for refund in outcome.refunds {
        journals.append(.refund(refund, race: outcome.raceId))
        refunded.append(refund.entryId)
      }
      switch outcome.work {
      case .none: break
      case .settlement(_, _, .wait(_, let until, let activities)):
        waits.append(
          CheckedStatement(SettlementStatements.wait(outcome.raceId, until: until, for: activities), rows: 1))
      case .settlement(let input, let provenance, .settle(let result)): try settle(input, provenance, result)
      case .correction(let input, let provenance, let revision): correct(input, provenance, revision)
      }
    }
  }

  /// The athletes whose wallets it needs.
  var athletes: Set<Int64> { Set(journals.flatMap(\.lines).map(\.athleteId)) }

  /// All writes of a batch, in their order.
  ///
  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to; for postings
  /// and wallets the server finds it, at COMMIT.
  func write(in transaction: Transaction) async throws {
    // 1. One round trip: what needs no wallet; then the locks of the wallets.
    let replies = try await CheckedStatement.run(
      waits
        + LedgerStatements.journals(journals, at: now)
        + refundedEntries
        + settledRaces
        + [CheckedStatement(SettlementStatements.clearMarks(races), rows: nil)]
        + LedgerStatements.walletLocks(journals),
      in: transaction)
    // 2. With COMMIT: the postings, then the wallets.
    CheckedStatement.runBeforeCommit(
      try LedgerStatements.postings(journals, wallets: replies.last), in: transaction)
  }

  /// The statements of `write` for no race, in its order.
  static func rehearse(at now: Timestamp, in transaction: Transaction) async throws {
    let (opening, closing) = LedgerStatements.ofNothing(at: now)
    let between = [
      SettlementStatements.entries([]), SettlementStatements.settlements([], at: now),
      SettlementStatements.payouts([]), SettlementStatements.settled([]), SettlementStatements.events([], at: now),
      SettlementStatements.clearMarks([]),
    ]
    _ = try await transaction.pipeline(opening + between + closing)
  }

  private var refundedEntries: [CheckedStatement] {
    refunded.isEmpty ? [] : [CheckedStatement(SettlementStatements.refunded(refunded), rows: refunded.count)]
  }

  /// Entries, settlements, payouts, races, events.
  private var settledRaces: [CheckedStatement] {
    guard !revisions.isEmpty else { return [] }
    let payouts = revisions.reduce(0) { $0 + $1.result.payouts.count }
    let first = revisions.filter { $0.number == 1 }.map(\.raceId)
    let back =
      reinstated.isEmpty ? [] : [CheckedStatement(SettlementStatements.reinstated(reinstated), rows: reinstated.count)]
    return back + [
      CheckedStatement(SettlementStatements.entries(entries), rows: entries.count),
      CheckedStatement(SettlementStatements.settlements(revisions, at: now), rows: revisions.count),
      CheckedStatement(SettlementStatements.payouts(revisions), rows: payouts),
      CheckedStatement(SettlementStatements.settled(first), rows: nil),
      CheckedStatement(SettlementStatements.events(revisions, at: now), rows: revisions.count),
    ]
  }

  private mutating func settle(
    _ input: SettlementInput, _ provenance: Provenance, _ result: SettlementResult
  ) throws {
    let journal = try JournalDraft.settlement(of: input.raceId, result)
    if let journal { journals.append(journal) }
    entries += result.ranking.map { EntryUpdate($0, isVoid: result.outcome == .void, before: .entered) }
    revisions.append(
      RevisionRow(
        raceId: input.raceId, number: 1, result: result, input: input.canonicalInput, counted: provenance.counted,
        held: provenance.held, journalKey: journal?.key))
  }

  private mutating func correct(_ input: CorrectionInput, _ provenance: Provenance, _ revision: Revision) {
    let race = input.settlement.raceId
    let journal = JournalDraft.correction(of: race, revision)
    if let journal { journals.append(journal) }
    let isVoid = revision.result.outcome == .void
    // Entries whose place, score and prize stay are left as they are.
    entries += revision.result.ranking.filter { isVoid || ShownResult($0) != input.standings[$0.entryId] }
      .map { EntryUpdate($0, isVoid: isVoid, before: .completed) }
    entries += revision.disqualified.map(EntryUpdate.init(disqualified:))
    reinstated += revision.reinstated
    revisions.append(
      RevisionRow(
        raceId: race, number: revision.number, result: revision.result, input: input.canonicalInput,
        counted: provenance.counted, held: provenance.held, journalKey: journal?.key))
  }
}
