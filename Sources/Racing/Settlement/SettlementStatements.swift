import Engine
import TextCoding
import Money
import Postgres

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
  static func entries(_ entries: [EntryUpdate]) -> Statement {
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
      encode(sha256(convert_to(s.input, 'UTF8')), 'hex'), s.counted::bigint[], s.held::bigint[]
    FROM unnest(\(planStable: revisions.map(\.raceId)), \(revisions.map { Int64($0.number) }),
      \(revisions.map(\.result.outcome.rawValue)), \(revisions.map(\.result.fees.amount)),
      \(revisions.map(\.result.platformFee.amount)), \(revisions.map(\.result.pool.amount)),
      \(revisions.map(\.journalKey)), \(revisions.map(\.input)), \(revisions.map { arrayText($0.counted) }),
      \(revisions.map { arrayText($0.held) }))
      AS s(race, revision, outcome, fees, platform, pool, journal, input, counted, held)
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
  /// The canonical text of the inputs, kept as its hash.
  let input: String
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
