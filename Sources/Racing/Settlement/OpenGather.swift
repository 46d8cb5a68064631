import Postgres

/// Reads the inputs of races that are not settled.
enum OpenGather {
  /// 1. One row for each race that has entries: those neither disqualified nor refunded, as parallel arrays.
  static func entries(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(id), array_agg(athlete_id), array_agg(entered_at), array_agg(fee_pence)
    FROM racing.entry WHERE race_id = ANY(\(ids)) AND status NOT IN ('disqualified', 'refunded') GROUP BY race_id
    """
  }

  /// 2. One row for each race with activities that may count, as parallel arrays. score is null where the activity is
  /// not long enough, or (never validated) was never scored.
  static func candidates(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id), array_agg(activity_id), array_agg(score), array_agg(started_at),
      array_agg(strava_id), array_agg(is_held), array_agg(NOT scored)
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(ids)) AND status IN ('verified', 'pending', 'under_review')
    GROUP BY race_id
    """
  }

  /// By race.
  static func read(
    _ races: [RaceHead], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Int64: RaceInput] {
    let ids = races.map(\.id)
    guard !ids.isEmpty else { return [:] }
    let replies = try await transaction.pipeline([entries(ids), candidates(ids)])
    var found = try CandidateTable(replies[1])
    try await found.scorePending(in: transaction)
    let entriesOf = try EntryTable(replies[0])
    var inputs: [Int64: RaceInput] = [:]
    for race in races {
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
