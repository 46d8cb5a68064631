import Postgres

/// Reads the inputs of races that are not settled, of those in one of `statuses`.
enum OpenGather {
  /// 1. One row for each race that has entries: those neither disqualified nor refunded, as parallel arrays.
  static func entries(_ ids: [Int64], statuses: [String]) -> Statement {
    """
    SELECT e.race_id, array_agg(e.id), array_agg(e.athlete_id), array_agg(e.entered_at), array_agg(e.fee_pence)
    FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
    WHERE r.id = ANY(\(unseen: ids)) AND r.status = ANY(\(statuses)) AND e.status NOT IN ('disqualified', 'refunded')
    GROUP BY e.race_id
    """
  }

  /// 2. One row for each race with activities that may count, as parallel arrays. score is null where the activity is
  /// not long enough, or (never validated) was never scored.
  static func candidates(_ ids: [Int64], statuses: [String]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id), array_agg(activity_id), array_agg(score), array_agg(started_at),
      array_agg(strava_id), array_agg(is_held), array_agg(NOT scored)
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(unseen: ids)) AND race_status = ANY(\(statuses))
      AND status IN ('verified', 'pending', 'under_review')
    GROUP BY race_id
    """
  }

  /// By race, from the answers to `entries` and `candidates`. A race with activities whose scores are not known after
  /// `readMax` were read is left out.
  static func read(
    _ races: [RaceHead], entries: Rows, candidates: Rows, at now: Timestamp, scores: PendingScores = PendingScores(),
    readMax: Int = .max, in transaction: Transaction
  ) async throws -> [Int64: RaceInput] {
    var found = try CandidateTable(candidates)
    try await found.scorePending(races.map(\.id), by: scores, readMax: readMax, in: transaction)
    let entriesOf = try EntryTable(entries)
    var inputs: [Int64: RaceInput] = [:]
    for race in races where found.isScored(race.id) {
      let candidates = found.ofRace(race.id, type: race.type)
      let all = candidates.values.joined()
      inputs[race.id] = RaceInput(
        settlement: race.input(
          entriesOf.ofRace(race.id, candidates: candidates, type: race.type),
          held: entriesOf.held(ofRace: race.id, candidates: candidates, type: race.type), now: now),
        counted: all.filter { !$0.isHeld }.map(\.activityId).sorted(),
        held: all.filter(\.isHeld).map(\.activityId).sorted())
    }
    return inputs
  }
}
