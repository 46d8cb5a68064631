import Money
import Postgres

/// Reads the inputs of locked races, each statement with a snapshot younger than the locks.
enum SettlementGather {
  /// 1. The races with the snapshot of their settings.
  static func races(_ ids: [Int64], inAnyStatus: Bool) -> Statement {
    """
    SELECT id, type, prize_shares::bigint[], (platform_fee_percent * 100)::bigint, entry_fee_pence, due_at,
      due_at + review_hold
    FROM racing.race WHERE id = ANY(\(ids)) AND (status = 'ended' OR \(inAnyStatus)) ORDER BY attend_at, id
    """
  }

  /// 2. One row for each race that has entries: those neither disqualified nor refunded, as parallel arrays.
  static func entries(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(id), array_agg(athlete_id), array_agg(entered_at), array_agg(fee_pence)
    FROM racing.entry WHERE race_id = ANY(\(ids)) AND status NOT IN ('disqualified', 'refunded') GROUP BY race_id
    """
  }

  /// 3. One row for each race with activities that may count, as parallel arrays. score is null where the activity is
  /// not long enough, or (pending) was never scored.
  static func candidates(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id), array_agg(activity_id), array_agg(score), array_agg(started_at),
      array_agg(strava_id), array_agg(status <> 'verified'), array_agg(NOT scored)
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(ids)) AND status IN ('verified', 'pending', 'under_review')
    GROUP BY race_id
    """
  }

  /// `inAnyStatus` also reads races that have not ended, or are settled: to explain them.
  static func read(
    _ ids: [Int64], at now: Timestamp, inAnyStatus: Bool = false, in transaction: Transaction
  ) async throws -> [RaceInput] {
    let replies = try await transaction.pipeline([races(ids, inAnyStatus: inAnyStatus), entries(ids), candidates(ids)])
    var found = try CandidateTable(replies[2])
    try await found.scorePending(in: transaction)
    return try inputs(replies[0], try EntryTable(replies[1]), found, at: now)
  }

  /// The three replies as one value per race.
  ///
  /// Never inlined: within the asynchronous function it ends Swift 6.3.1's optimiser with signal 11.
  @inline(never)
  private static func inputs(
    _ races: Rows, _ entriesOf: EntryTable, _ found: CandidateTable, at now: Timestamp
  ) throws -> [RaceInput] {
    try races.decode(
      Int64.self, String.self, [Int64].self, Int64.self, Int64.self, Timestamp.self, Timestamp.self
    ).map { id, typeName, shares, percent, fee, dueAt, holdUntil in
      guard let type = RaceType(rawValue: typeName), shares.count == 3 else {
        throw SettlementError(.corrupt, "race \(id) has an unknown type or not three prize shares")
      }
      let candidates = found.ofRace(id, type: type)
      let input = SettlementInput(
        raceId: id, type: type,
        shares: try PrizeShares(shares[0], shares[1], shares[2]),
        percent: try Percent(hundredths: percent), entryFee: Pence(fee), dueAt: dueAt, holdUntil: holdUntil,
        entries: entriesOf.ofRace(id, candidates: candidates, type: type),
        held: entriesOf.held(ofRace: id, candidates: candidates, type: type), now: now)
      let all = candidates.values.joined()
      return RaceInput(
        settlement: input, counted: all.filter { !$0.isHeld }.map(\.activityId).sorted(),
        held: all.filter(\.isHeld).map(\.activityId).sorted())
    }
  }
}
