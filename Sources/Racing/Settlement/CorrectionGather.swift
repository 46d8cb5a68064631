import Money
import Postgres

/// Reads the inputs of corrections: the latest revision, and what has become of its activities.
enum CorrectionGather {
  /// 1. The latest revision of each race that paid, with the lists of its activities; a void one is final. What
  /// revision 1 held stands beside it, and what of that was verified since.
  static func revisions(_ ids: [Int64]) -> Statement {
    """
    SELECT s.race_id, s.revision::bigint, s.platform_fee_pence, f.held_activities, s.counted_activities,
      ARRAY(SELECT l.activity_id FROM racing.late_activity AS l WHERE l.race_id = s.race_id)
    FROM unnest(\(ids)) AS r(id)
    CROSS JOIN LATERAL (
      SELECT x.* FROM racing.settlement AS x WHERE x.race_id = r.id ORDER BY x.revision DESC LIMIT 1
    ) AS s
    JOIN racing.settlement AS f ON f.race_id = s.race_id AND f.revision = 1
    WHERE s.outcome = 'paid'
    """
  }

  /// 2. The entries of those races that the latest revision completed, and whether a disqualification takes them out.
  static func entries(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, id, athlete_id, entered_at, fee_pence, disqualified_by IS NOT NULL,
      rank::bigint, score, activity_id, prize_pence
    FROM racing.entry WHERE race_id = ANY(\(ids)) AND status = 'completed' ORDER BY id
    """
  }

  /// 3. What may count, one row for each race as parallel arrays: every activity in time that is not disqualified.
  /// Flags and reviews that are open now change nothing.
  ///
  /// Which of them count is decided here, by the lists of the revision: a join with a list is quadratic, because the
  /// planner takes every list of a row for ten elements.
  static func candidates(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id), array_agg(activity_id), array_agg(score), array_agg(started_at),
      array_agg(strava_id), array_agg(false), array_agg(false)
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(unseen: ids)) AND race_status = 'settled' AND status <> 'disqualified'
    GROUP BY race_id
    """
  }

  /// By race; races whose latest revision is void are left out.
  static func read(
    _ races: [RaceHead], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Int64: CorrectionCase] {
    let ids = races.map(\.id)
    guard !ids.isEmpty else { return [:] }
    let replies = try await transaction.pipeline([revisions(ids), entries(ids), candidates(ids)])
    let entriesOf = try CorrectionTable(replies[1])
    let found = try CandidateTable(replies[2])
    let headOf = Dictionary(uniqueKeysWithValues: races.map { ($0.id, $0) })
    var cases: [Int64: CorrectionCase] = [:]
    for (id, revision, platformFee, held, before, late) in try replies[0].decode(
      Int64.self, Int64.self, Int64.self, [Int64].self, [Int64].self, [Int64].self)
    {
      guard let race = headOf[id] else { continue }
      let candidates = found.ofRace(id, type: race.type, only: Set(before).union(late))
      let remaining = entriesOf.entries(of: id, isOut: false, candidates: candidates, type: race.type)
      let counted = remaining.flatMap { candidates[$0.id] ?? [] }.map(\.activityId).sorted()
      let counting = Set(counted)
      cases[id] = CorrectionCase(
        input: CorrectionInput(
          settlement: race.input(remaining, now: now),
          out: entriesOf.entries(of: id, isOut: true, candidates: [:], type: race.type),
          standings: entriesOf.standings(of: id), revision: Int(revision), platformFee: Pence(platformFee)),
        counted: counted, held: held.filter { !counting.contains($0) })
    }
    return cases
  }
}
