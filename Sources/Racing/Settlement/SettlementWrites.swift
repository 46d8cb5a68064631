import Engine
import Money
import Postgres
import TextCoding

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
      let drafts = try Self.journals(of: outcome)
      journals += drafts.refunds + [drafts.result].compactMap(\.self)
      refunded += outcome.refunds.map(\.entryId)
      switch outcome.work {
      case .none: break
      case .settlement(_, _, .wait(_, let until, let activities)):
        waits.append(
          CheckedStatement(SettlementStatements.wait(outcome.raceId, until: until, for: activities), rows: 1))
      case .settlement(let input, let provenance, .settle(let result)):
        settle(input, provenance, result, drafts.result)
      case .correction(let input, let provenance, let revision):
        correct(input, provenance, revision, drafts.result)
      }
    }
  }

  /// The athletes whose wallets the writes of an outcome need.
  static func athletes(of outcome: SettlementOutcome) throws(MoneyError) -> Set<Int64> {
    let drafts = try journals(of: outcome)
    return Set((drafts.refunds + [drafts.result].compactMap(\.self)).flatMap(\.lines).map(\.athleteId))
  }

  private static func journals(
    of outcome: SettlementOutcome
  ) throws(MoneyError) -> (refunds: [JournalDraft], result: JournalDraft?) {
    let race = outcome.raceId
    let result: JournalDraft? =
      switch outcome.work {
      case .none, .settlement(_, _, .wait): nil
      case .settlement(_, _, .settle(let result)): try .settlement(of: race, result)
      case .correction(_, _, let revision): .correction(of: race, revision)
      }
    return (outcome.refunds.map { .refund($0, race: race) }, result)
  }

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
    return back + CheckedStatement.writing(entries, SettlementStatements.entries) + [
      CheckedStatement(SettlementStatements.settlements(revisions, at: now), rows: revisions.count),
      CheckedStatement(SettlementStatements.payouts(revisions), rows: payouts),
      CheckedStatement(SettlementStatements.settled(first), rows: nil),
      CheckedStatement(SettlementStatements.events(revisions, at: now), rows: revisions.count),
    ]
  }

  private mutating func settle(
    _ input: SettlementInput, _ provenance: Provenance, _ result: SettlementResult, _ journal: JournalDraft?
  ) {
    entries += result.ranking.map { EntryUpdate($0, isVoid: result.outcome == .void, before: .entered) }
    revisions.append(
      RevisionRow(
        raceId: input.raceId, number: 1, result: result, inputHash: input.hash, counted: provenance.counted,
        held: provenance.held, journalKey: journal?.key))
  }

  private mutating func correct(
    _ input: CorrectionInput, _ provenance: Provenance, _ revision: Revision, _ journal: JournalDraft?
  ) {
    let race = input.settlement.raceId
    let isVoid = revision.result.outcome == .void
    // Entries whose place, score and prize stay are left as they are.
    entries += revision.result.ranking.filter { isVoid || ShownResult($0) != input.standings[$0.entryId] }
      .map { EntryUpdate($0, isVoid: isVoid, before: .completed) }
    entries += revision.disqualified.map(EntryUpdate.init(disqualified:))
    reinstated += revision.reinstated
    revisions.append(
      RevisionRow(
        raceId: race, number: revision.number, result: revision.result, inputHash: input.hash,
        counted: provenance.counted, held: provenance.held, journalKey: journal?.key))
  }
}

/// The set-based writes of settlements and corrections; `SettlementWrites` has their order.
enum SettlementStatements {
  static func wait(_ race: Int64, until: Timestamp, for activities: [Int64]) -> Statement {
    """
    UPDATE racing.race SET next_check_at = \(until), waiting_activities = \(activities),
      knows_claims = \(!activities.isEmpty)::boolean
    WHERE id = \(race) AND status = 'ended'
    """
  }

  static func refunded(_ entries: [Int64]) -> Statement {
    """
    UPDATE racing.entry SET is_refunded = true
    WHERE id = ANY(\(entries)) AND status = 'disqualified' AND NOT is_refunded
    """
  }

  /// Disqualified entries that come back with a correction: their results follow as those of the others.
  static func reinstated(_ entries: [Int64]) -> Statement {
    """
    UPDATE racing.entry SET status = 'completed', disqualified_by = NULL, is_refunded = false
    WHERE id = ANY(\(entries)) AND status = 'disqualified' AND is_refunded
    """
  }

  /// Place and prize of every entry by this revision. Those of a void race are refunded.
  static func entries(_ entries: ArraySlice<EntryUpdate>) -> Statement {
    """
    UPDATE racing.entry AS e SET status = d.status, activity_id = d.activity, score = d.score, rank = d.rank::integer,
      prize_pence = d.prize, is_refunded = d.status <> 'completed'
    FROM unnest(\(entries.map(\.entryId)), \(entries.map(\.before.rawValue)), \(entries.map(\.status.rawValue)),
      \(entries.map(\.activityId)), \(entries.map(\.score)), \(entries.map { $0.rank.map(Int64.init) }),
      \(entries.map(\.prize.amount)))
      AS d(id, before, status, activity, score, rank, prize)
    WHERE e.id = d.id AND e.status = d.before
    """
  }

  /// Arrays of different lengths travel as texts: an array of arrays would have to be a matrix.
  static func settlements(_ revisions: [RevisionRow], at now: Timestamp) -> Statement {
    """
    INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
      prize_pool_pence, journal_id, input_hash, counted_activities, held_activities)
    SELECT s.race, s.revision, s.outcome, \(now), s.fees, s.platform, s.pool,
      (SELECT j.id FROM racing.journal AS j WHERE j.idempotency_key = s.journal),
      s.input_hash, s.counted::bigint[], s.held::bigint[]
    FROM unnest(\(planStable: revisions.map(\.raceId)), \(revisions.map { Int64($0.number) }),
      \(revisions.map(\.result.outcome.rawValue)), \(revisions.map(\.result.fees.amount)),
      \(revisions.map(\.result.platformFee.amount)), \(revisions.map(\.result.pool.amount)),
      \(revisions.map(\.journalKey)), \(revisions.map(\.inputHash)), \(revisions.map { arrayText($0.counted) }),
      \(revisions.map { arrayText($0.held) }))
      AS s(race, revision, outcome, fees, platform, pool, journal, input_hash, counted, held)
    """
  }

  static func payouts(_ revisions: [RevisionRow]) -> Statement {
    let payouts = revisions.flatMap { revision in revision.result.payouts.map { (revision, $0) } }
    return """
      INSERT INTO racing.payout (race_id, revision, place, entry_id, athlete_id, amount_pence)
      SELECT * FROM unnest(\(payouts.map(\.0.raceId)), \(payouts.map { Int64($0.0.number) }),
        \(payouts.map { Int64($0.1.place) }), \(payouts.map(\.1.entryId)), \(payouts.map(\.1.athleteId)),
        \(payouts.map(\.1.amount.amount)))
      """
  }

  static func settled(_ races: [Int64]) -> Statement {
    """
    UPDATE racing.race SET status = 'settled', waiting_activities = '{}'
    WHERE id = ANY(\(planStable: races)) AND status = 'ended'
    """
  }

  /// All consequences have been written: the races have been locked since before their inputs were read.
  static func clearMarks(_ races: [Int64]) -> Statement {
    """
    UPDATE racing.race SET correction_due_at = NULL, is_reinstating = false
    WHERE id = ANY(\(planStable: races)) AND correction_due_at IS NOT NULL
    """
  }

  static func events(_ revisions: [RevisionRow], at now: Timestamp) -> Statement {
    EventStatements.emit(
      topic: "race.settled", keys: revisions.map { String($0.raceId) }, payloads: revisions.map(payload), at: now)
  }

  private static func payload(_ revision: RevisionRow) -> String {
    JSONValue.object([
      ("raceId", .integer(revision.raceId)), ("revision", .integer(Int64(revision.number))),
      ("outcome", .text(revision.result.outcome.rawValue)), ("payouts", revision.result.payoutsJSON),
    ]).serialized
  }

  private static func arrayText(_ ids: [Int64]) -> String {
    "{" + ids.map(String.init).joined(separator: ",") + "}"
  }
}

/// A revision as it is written: the first of a race, or a correction.
struct RevisionRow {
  let raceId: Int64
  let number: Int
  let result: SettlementResult
  let inputHash: String
  let counted: [Int64]
  let held: [Int64]
  /// Nil where nothing is booked.
  let journalKey: String?
}

/// The new state of an entry.
struct EntryUpdate {
  let entryId: Int64
  /// The status it must have now.
  let before: EntryStatus
  let status: EntryStatus
  let rank: Int?
  let score: Int64?
  let activityId: Int64?
  let prize: Pence

  init(_ entry: RankedEntry, isVoid: Bool, before: EntryStatus) {
    entryId = entry.entryId
    self.before = before
    status = isVoid ? .refunded : .completed
    rank = entry.rank
    score = entry.score
    activityId = entry.activityId
    prize = entry.prize
  }

  init(disqualified entry: Int64) {
    entryId = entry
    before = .completed
    status = .disqualified
    rank = nil
    score = nil
    activityId = nil
    prize = .zero
  }
}
