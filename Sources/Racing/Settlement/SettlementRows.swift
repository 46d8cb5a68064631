import Money
import Postgres

/// The inputs of races that are not settled, of those in one of `statuses`: the statements and what their rows mean.
enum SettlementRows {
  /// One row for each race that has entries: those neither disqualified nor refunded, as parallel arrays.
  static func entries(_ ids: [Int64], statuses: [RaceStatus]) -> Statement {
    """
    SELECT e.race_id, array_agg(e.id) AS ids, array_agg(e.athlete_id) AS athletes,
      array_agg(e.entered_at) AS entered_at, array_agg(e.fee_pence) AS fees
    FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
    WHERE r.id = ANY(\(planStable: ids)) AND r.status = ANY(\(statuses.map(\.rawValue))) AND e.status NOT IN ('disqualified', 'refunded')
    GROUP BY e.race_id
    """
  }

  /// One row for each race with activities that may count, as parallel arrays. score is null where the activity is
  /// not long enough, or (never validated) was never scored. unread is null for activities, and for open claims whether
  /// their read waits for the provider's limit.
  static func candidates(_ ids: [Int64], statuses: [RaceStatus]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id) AS entries, array_agg(activity_id) AS activities, array_agg(score) AS scores,
      array_agg(started_at) AS started_at, array_agg(strava_id) AS strava_ids, array_agg(is_held) AS held,
      array_agg(NOT scored) AS unscored,
      array_agg(CASE WHEN is_claim THEN racing.awaits_read(activity_id) END) AS unread
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(planStable: ids)) AND race_status = ANY(\(statuses.map(\.rawValue)))
      AND (status = 'verified' OR is_held)
    GROUP BY race_id
    """
  }

  /// The entrants of ended races of whom the provider's limit of reads has kept something from being read.
  static func unlisted(_ ids: [Int64]) -> Statement {
    // Mostly nobody waits for a read, and the function is not called.
    """
    SELECT race_id, athlete_id FROM racing.unlisted_entrants(\(planStable: ids))
    WHERE EXISTS (SELECT FROM strava.read_request WHERE class = 0)
    """
  }

  /// By race, from the rows of `entries`, `candidates` and `unlisted`. A race with activities whose scores are not
  /// known after `readMax` were read is left out.
  static func read(
    _ races: [RaceRow], entries: Rows, candidates: Rows, unlisted: Rows, at now: Timestamp,
    scores: PendingScores = PendingScores(), readMax: Int = .max, in transaction: Transaction
  ) async throws -> [Int64: (input: SettlementInput, provenance: Provenance)] {
    var activities = try CandidateRows(candidates)
    try await activities.scorePending(races.map(\.id), by: scores, readMax: readMax, in: transaction)
    let entries = try EntryRows(entries)
    let unlisted = Dictionary(grouping: try unlisted.decode(Int64.self, Int64.self), by: \.0)
    var inputs: [Int64: (input: SettlementInput, provenance: Provenance)] = [:]
    for race in races where activities.isScored(race.id) {
      let candidates = activities.ofRace(race.id, type: race.type)
      let all = candidates.values.joined()
      let input = race.input(
        entries.ofRace(race.id, candidates: candidates, type: race.type),
        held: entries.held(ofRace: race.id, candidates: candidates, type: race.type),
        claims: entries.claims(ofRace: race, activities.claims(ofRace: race.id)),
        unlisted: (unlisted[race.id] ?? []).map { UnlistedEntrant(athleteId: $0.1, until: race.unreadUntil) }, now: now)
      let provenance = Provenance(
        counted: all.filter { !$0.isHeld }.map(\.activityId).sorted(),
        held: (all.filter(\.isHeld).map(\.activityId) + input.claims.map(\.id)).sorted())
      inputs[race.id] = (input, provenance)
    }
    return inputs
  }
}

/// The entries of a batch of open races, from the rows of `SettlementRows.entries`.
struct EntryRows {
  private struct Entry {
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    for (race, entries) in try rows.decodeAll(as: Self.race) { byRace[race] = entries }
  }

  private static func race(_ row: Row) throws(PostgresError) -> (id: Int64, [Entry]) {
    let (ids, athletes): ([Int64], [Int64]) = (try row["ids"], try row["athletes"])
    let (enteredAt, fees): ([Timestamp], [Int64]) = (try row["entered_at"], try row["fees"])
    let entries = ids.indices.map {
      Entry(id: ids[$0], athleteId: athletes[$0], enteredAt: enteredAt[$0], fee: fees[$0])
    }
    return (try row["race_id"], entries)
  }

  func ofRace(_ race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [EntryInput] {
    (byRace[race] ?? []).map { entry in
      let own = candidates[entry.id] ?? []
      let maxScore = BestScore(of: own, type: type)
      let minScore = own.contains(where: \.isHeld) ? BestScore(of: own.filter { !$0.isHeld }, type: type) : maxScore
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee),
        minScore: minScore, maxScore: maxScore)
    }
  }

  /// The held activities that would count with a score better than their athlete's best of those that are not.
  func held(ofRace race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [HeldActivity] {
    (byRace[race] ?? []).flatMap { entry in
      guard let own = candidates[entry.id], own.contains(where: \.isHeld) else { return [HeldActivity]() }
      let minScore = BestScore(of: own.filter { !$0.isHeld }, type: type)
      return own.filter { held in held.isHeld && minScore.map { type.isBetter(held.score, than: $0.score) } ?? true }
        .map { HeldActivity(id: $0.activityId, athleteId: entry.athleteId) }
    }
  }

  func claims(ofRace race: RaceRow, _ claims: [CandidateRows.Claim]) -> [HeldClaim] {
    guard !claims.isEmpty else { return [] }
    let athletes = Dictionary(uniqueKeysWithValues: (byRace[race.id] ?? []).map { ($0.id, $0.athleteId) })
    return claims.compactMap { claim in
      athletes[claim.entry].map {
        HeldClaim(id: claim.id, athleteId: $0, until: claim.isUnread ? race.unreadUntil : race.claimUntil)
      }
    }
  }
}
