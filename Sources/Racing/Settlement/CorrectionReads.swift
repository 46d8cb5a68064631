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

/// Disqualified entries of settled races that come back: those out by an activity that is not disqualified any more.
///
/// Source: Racing.docc/Corrections.md, "What counts".
struct ReinstatedEntryRows {
  private struct Entry {
    let raceId: Int64
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
    let counted: [Candidate]
    let held: [Int64]

    init(_ row: Row) throws(PostgresError) {
      raceId = try row["race_id"]
      id = try row["id"]
      athleteId = try row["athlete_id"]
      enteredAt = try row["entered_at"]
      fee = try row["fee_pence"]
      held = try row["held"]
      let (activities, scores): ([Int64], [Int64]) = (try row["activities"], try row["scores"])
      let (startedAt, stravaIds): ([Timestamp], [Int64]) = (try row["started_at"], try row["strava_ids"])
      counted = activities.indices.map {
        Candidate(
          activityId: activities[$0], score: scores[$0], startedAt: startedAt[$0], stravaId: stravaIds[$0],
          isHeld: false)
      }
    }
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    for entry in try rows.decodeAll(as: Entry.init) { byRace[entry.raceId, default: []].append(entry) }
  }

  /// One row for each entry: the activities in time that a revision has counted, or that are verified now, and `held`,
  /// those that may be verified later, and the open claims. Deleted ones, those that came back at the due instant or
  /// later, those that were proved too late, and those of a foreign account count only where a revision has counted
  /// them.
  static func statement(_ ids: [Int64]) -> Statement {
    """
    SELECT e.race_id, e.id, e.athlete_id, e.entered_at, e.fee_pence, c.activities, c.scores, c.started_at, c.strava_ids,
      c.held || ARRAY(
        SELECT k.id FROM racing.claim AS k
        WHERE k.athlete_id = e.athlete_id AND k.rejected_at IS NULL AND k.started_at >= r.starts_at
          AND k.started_at < r.ends_at AND k.claimed_at < r.due_at) AS held
    FROM racing.race AS r
    JOIN racing.entry AS e ON e.race_id = r.id AND e.status = 'disqualified'
    JOIN racing.activity AS x ON x.id = e.disqualified_by AND x.status <> 'disqualified'
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(q.id) FILTER (WHERE q.counts AND q.score IS NOT NULL), '{}') AS activities,
        coalesce(array_agg(q.score) FILTER (WHERE q.counts AND q.score IS NOT NULL), '{}') AS scores,
        coalesce(array_agg(q.started_at) FILTER (WHERE q.counts AND q.score IS NOT NULL), '{}') AS started_at,
        coalesce(array_agg(q.strava_id) FILTER (WHERE q.counts AND q.score IS NOT NULL), '{}') AS strava_ids,
        coalesce(array_agg(q.id) FILTER (WHERE NOT q.counts AND q.may_count), '{}') AS held
      FROM (
        SELECT a.id, a.started_at, a.strava_id,
          CASE r.type WHEN 'top_speed' THEN a.top_speed_mm_per_s WHEN 'furthest_distance' THEN a.distance_cm
            WHEN 'fastest_1km' THEN a.fastest_1km_ms ELSE a.fastest_5km_ms END AS score,
          a.status = 'verified' AND d.is_there OR EXISTS (
            SELECT FROM racing.settlement AS s WHERE s.race_id = r.id AND a.id = ANY(s.counted_activities)) AS counts,
          d.is_there AND (a.status IN ('pending', 'under_review') OR a.status = 'rejected' AND EXISTS (
            SELECT FROM racing.review AS w WHERE w.activity_id = a.id AND w.state <> 'decided')) AS may_count
        FROM racing.activity AS a
        CROSS JOIN LATERAL (
          SELECT a.deleted_at IS NULL AND coalesce(a.shown_again_at < r.due_at, true) AND r.id <> ALL (a.late_for)
            AND racing.proves_entry(a, e) AS is_there
        ) AS d
        WHERE a.athlete_id = e.athlete_id AND a.status <> 'disqualified' AND a.started_at >= r.starts_at
          AND a.started_at < r.ends_at AND a.imported_at < r.due_at
        ORDER BY a.id
      ) AS q
    ) AS c
    WHERE r.id = ANY(\(ids)) AND r.is_reinstating ORDER BY e.id
    """
  }

  /// The entries with their best scores, the activities that count, and those that are held; all by id.
  func ofRace(_ race: Int64, type: RaceType) -> (entries: [EntryInput], counted: [Int64], held: [Int64]) {
    let back = byRace[race] ?? []
    let entries = back.map { entry in
      let best = BestScore(of: entry.counted, type: type)
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee), minScore: best,
        maxScore: best)
    }
    return (entries, back.flatMap(\.counted).map(\.activityId), back.flatMap(\.held))
  }
}
