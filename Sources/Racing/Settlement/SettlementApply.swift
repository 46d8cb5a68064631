import Money
import Postgres

/// Writes what was decided about a batch of races, set by set.
///
/// The order is the house's: races are locked already, then all wallets in one ordered statement. What needs no wallet
/// comes before it, because everybody who deposits or enters waits for the wallets until the commit.
struct SettlementApply {
  private var waits: [Step] = []
  private var revisions: [WrittenRevision] = []
  private var drafts: [JournalDraft] = []
  private var outcomes: [EntryOutcome] = []
  /// Disqualified entries whose fee goes back apart from any settlement.
  private var refunded: [Int64] = []
  private let races: [Int64]
  private let now: Timestamp

  init(_ rulings: [RaceRuling], now: Timestamp) throws {
    self.now = now
    races = rulings.map(\.raceId)
    for ruling in rulings {
      for refund in ruling.refunds {
        drafts.append(.refund(refund, race: ruling.raceId))
        refunded.append(refund.entryId)
      }
      switch ruling.answer {
      case .none: break
      case .settlement(_, .wait(let until, let activities)):
        waits.append(Step(ApplyStatements.wait(ruling.raceId, until: until, for: activities), rows: 1))
      case .settlement(let race, .settle(let result)): try settle(race, result)
      case .correction(let race, let revision): correct(race, revision)
      }
    }
  }

  /// Those whose wallets it needs.
  var athletes: Set<Int64> { Set(drafts.flatMap(\.movements).map(\.athleteId)) }

  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to; for postings and
  /// wallets the server finds it, at COMMIT.
  func write(in transaction: Transaction) async throws {
    var steps = waits + LedgerStatements.journals(drafts, at: now)
    if !refunded.isEmpty { steps.append(Step(ApplyStatements.refunded(refunded), rows: refunded.count)) }
    if !revisions.isEmpty {
      let payouts = revisions.reduce(0) { $0 + $1.result.payouts.count }
      steps += [
        Step(ApplyStatements.entries(outcomes), rows: outcomes.count),
        Step(ApplyStatements.settlements(revisions, at: now), rows: revisions.count),
        Step(ApplyStatements.payouts(revisions), rows: payouts),
        Step(ApplyStatements.settled(revisions.filter { $0.number == 1 }.map(\.raceId)), rows: nil),
        Step(ApplyStatements.events(revisions, at: now), rows: revisions.count),
      ]
    }
    steps.append(Step(ApplyStatements.clearMarks(races), rows: nil))
    try await LedgerStatements.book(drafts, after: steps, in: transaction)
  }

  private mutating func settle(_ race: RaceInput, _ result: SettlementResult) throws {
    let id = race.settlement.raceId
    let draft = try JournalDraft.settlement(of: id, result)
    if let draft { drafts.append(draft) }
    outcomes += result.ranking.map { EntryOutcome($0, isVoid: result.outcome == .void, from: "entered") }
    revisions.append(
      WrittenRevision(
        raceId: id, number: 1, result: result, input: race.settlement.canonicalInput, counted: race.counted,
        held: race.held, journalKey: draft?.key))
  }

  private mutating func correct(_ race: CorrectionCase, _ revision: Revision) {
    let id = race.input.settlement.raceId
    let draft = JournalDraft.correction(of: id, revision)
    if let draft { drafts.append(draft) }
    let isVoid = revision.result.outcome == .void
    // Entries whose place, score and prize stay are left as they are.
    outcomes += revision.result.ranking.filter { isVoid || Standing($0) != race.input.standings[$0.entryId] }
      .map { EntryOutcome($0, isVoid: isVoid, from: "completed") }
    outcomes += revision.out.map(EntryOutcome.init(takenOut:))
    revisions.append(
      WrittenRevision(
        raceId: id, number: revision.number, result: revision.result, input: race.input.canonicalInput,
        counted: race.counted, held: race.held, journalKey: draft?.key))
  }
}
