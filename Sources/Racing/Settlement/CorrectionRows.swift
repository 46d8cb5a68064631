import Money
import Postgres

/// The inputs of corrections: the latest revision, and what has become of its activities.
enum CorrectionRows {
  /// The latest revision of each race that paid, with the lists of its activities; a void one is final. What
  /// revision 1 held stands beside it, and what of that was verified since.
  static func revisions(_ ids: [Int64]) -> Statement {
    """
    SELECT s.race_id, s.revision::bigint, s.platform_fee_pence, f.held_activities, s.counted_activities,
      ARRAY(SELECT l.activity_id FROM racing.late_activity AS l WHERE l.race_id = s.race_id) AS late_activities
    FROM unnest(\(ids)) AS r(id)
    CROSS JOIN LATERAL (
      SELECT x.* FROM racing.settlement AS x WHERE x.race_id = r.id ORDER BY x.revision DESC LIMIT 1
    ) AS s
    JOIN racing.settlement AS f ON f.race_id = s.race_id AND f.revision = 1
    WHERE s.outcome = 'paid'
    """
  }

  /// The entries of those races that the latest revision completed, and whether they are disqualified now.
  static func entries(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, id, athlete_id, entered_at, fee_pence, disqualified_by IS NOT NULL AS is_disqualified,
      rank::bigint, score, activity_id, prize_pence
    FROM racing.entry WHERE race_id = ANY(\(ids)) AND status = 'completed' ORDER BY id
    """
  }

  /// The activities that may count, one row for each race as parallel arrays: all in time that are not disqualified.
  /// Flags and reviews that are open now change nothing.
  ///
  /// The lists of the revision decide here which of them count: a join with a list is quadratic, because the
  /// planner takes every list of a row for ten elements.
  static func candidates(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id) AS entries, array_agg(activity_id) AS activities, array_agg(score) AS scores,
      array_agg(started_at) AS started_at, array_agg(strava_id) AS strava_ids, array_agg(false) AS held,
      array_agg(false) AS unscored, array_agg(NULL::boolean) AS unread
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(planStable: ids)) AND race_status = 'settled' AND status <> 'disqualified' AND NOT is_claim
    GROUP BY race_id
    """
  }

  /// By race; races whose latest revision is void are left out.
  static func read(
    _ races: [RaceRow], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Int64: (input: CorrectionInput, provenance: Provenance)] {
    let ids = races.map(\.id)
    guard !ids.isEmpty else { return [:] }
    let replies = try await transaction.pipeline([
      revisions(ids), entries(ids), candidates(ids), ReinstatedEntryRows.statement(ids),
    ])
    let entries = try CorrectedEntryRows(replies[1])
    let activities = try CandidateRows(replies[2])
    let reinstated = try ReinstatedEntryRows(replies[3])
    let raceOf = Dictionary(uniqueKeysWithValues: races.map { ($0.id, $0) })
    var inputs: [Int64: (input: CorrectionInput, provenance: Provenance)] = [:]
    for latest in try replies[0].decodeAll(as: RevisionInput.init) {
      let id = latest.raceId
      guard let race = raceOf[id] else { continue }
      let candidates = activities.ofRace(id, type: race.type, only: Set(latest.counted).union(latest.late))
      let remaining = entries.ofRace(id, isDisqualified: false, candidates: candidates, type: race.type)
      let back = reinstated.ofRace(id, type: race.type)
      let counting = Set(remaining.flatMap { candidates[$0.id] ?? [] }.map(\.activityId)).union(back.counted)
      let input = CorrectionInput(
        settlement: race.input(remaining + back.entries, now: now),
        disqualified: entries.ofRace(id, isDisqualified: true, candidates: [:], type: race.type),
        reinstated: back.entries, standings: entries.standings(ofRace: id), revision: latest.revision,
        platformFee: latest.platformFee)
      let held = Set(latest.held).union(back.held).subtracting(counting)
      inputs[id] = (input, Provenance(counted: counting.sorted(), held: held.sorted()))
    }
    return inputs
  }
}

/// A row of `CorrectionRows.revisions`: the latest revision of a race.
struct RevisionInput {
  let raceId: Int64
  let revision: Int
  let platformFee: Pence
  /// The activities that revision 1 held, that the latest counted, and that were verified since.
  let held: [Int64]
  let counted: [Int64]
  let late: [Int64]

  init(_ row: Row) throws(PostgresError) {
    raceId = try row["race_id"]
    revision = try row["revision"]
    platformFee = Pence(try row["platform_fee_pence"] as Int64)
    held = try row["held_activities"]
    counted = try row["counted_activities"]
    late = try row["late_activities"]
  }
}

/// The entries of settled races, from the rows of `CorrectionRows.entries`.
struct CorrectedEntryRows {
  private struct Entry {
    let raceId: Int64
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
    let isDisqualified: Bool
    let standing: ShownResult

    init(_ row: Row) throws(PostgresError) {
      raceId = try row["race_id"]
      id = try row["id"]
      athleteId = try row["athlete_id"]
      enteredAt = try row["entered_at"]
      fee = try row["fee_pence"]
      isDisqualified = try row["is_disqualified"]
      standing = ShownResult(
        rank: try row["rank"], score: try row["score"], activityId: try row["activity_id"],
        prize: Pence(try row["prize_pence"] as Int64))
    }
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    for entry in try rows.decodeAll(as: Entry.init) { byRace[entry.raceId, default: []].append(entry) }
  }

  func ofRace(_ race: Int64, isDisqualified: Bool, candidates: [Int64: [Candidate]], type: RaceType) -> [EntryInput] {
    (byRace[race] ?? []).filter { $0.isDisqualified == isDisqualified }.map { entry in
      let best = BestScore(of: candidates[entry.id] ?? [], type: type)
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee),
        minScore: best, maxScore: best)
    }
  }

  func standings(ofRace race: Int64) -> [Int64: ShownResult] {
    Dictionary(uniqueKeysWithValues: (byRace[race] ?? []).map { ($0.id, $0.standing) })
  }
}
