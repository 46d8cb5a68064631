import Money
import Postgres

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
