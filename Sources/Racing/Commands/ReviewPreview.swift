import Engine
import TextCoding
import Money
import Operations
import Postgres

/// The facts for a reviewer's decision: the activity against its races' fields, and what each decision would change.
///
/// The decisions are made for real, by the function and the code that make them otherwise, and rolled back.
struct ReviewPreview: Sendable {
  let activity: Int64
  let gate: ClaimGate

  /// The results of the races, by race, without a decision and after either: nil where that one would be refused.
  private struct Outcomes {
    let status: String
    let now: [Int64: ReviewOutcome]?
    let approve: [Int64: ReviewOutcome]?
    let disqualify: [Int64: ReviewOutcome]?

    /// Equal texts have equal effects, regardless of their inputs.
    var effects: String {
      let cases = [now, approve, disqualify].map { outcomes in
        outcomes.map { outcomes in
          JSONValue.object(outcomes.sorted { $0.key < $1.key }.map { (String($0.key), $0.value.effects) })
        } ?? .null
      }
      return JSONValue.array([.text(status)] + cases).serialized
    }
  }

  /// The row of `racing.flagged` with its decided flags, with `affected`, `effectsHash` and `refusals`.
  ///
  /// `affected` has one object for each race that the activity may count in. `refusals` has the rule that refuses a
  /// decision, which may expect the hash.
  func json(in transaction: Transaction) async throws -> JSON {
    let row = try await transaction.query("SELECT racing.review_of(\(activity))").one(JSON.self)
    let fields = try await transaction.query(Self.fields(activity)).decode(Int64.self, JSON.self)
    let outcomes = try await outcomes(fields.map(\.0), in: transaction)
    var affected: [JSONValue] = []
    for (race, field) in fields {
      let cases = [outcomes.now?[race], outcomes.approve?[race], outcomes.disqualify?[race]]
      let named = cases.compactMap { $0?.people }
      let people = try await transaction.query(
        Self.people(of: race, entries: Set(named.flatMap(\.entries)), athletes: Set(named.flatMap(\.athletes)))
      ).one(JSON.self)
      affected.append([
        "raceId": .integer(race), "field": .raw(field), "now": cases[0]?.json ?? .null,
        "approve": cases[1]?.json ?? .null, "disqualify": cases[2]?.json ?? .null, "people": .raw(people),
      ])
    }
    let hash = InputHash.text(of: outcomes.effects)
    let refusals = try await transaction.query(Self.refusals(activity)).one(JSON.self)
    let more: JSONValue = ["affected": .array(affected), "effectsHash": .text(hash), "refusals": .raw(refusals)]
    return try await transaction.query("SELECT \(row) || racing.decided_flags(\(activity)) || \(more.json)").one(
      JSON.self)
  }

  /// Refuses by the rule `hash` unless a decision has the effects that an operator saw.
  ///
  /// Takes the decision's locks first, so that of two operators who decide at once the second one sees what the first
  /// one did.
  func check(_ expected: String, in transaction: Transaction) async throws {
    for lock in [Self.lockAthlete(activity), Self.lockActivity(activity), AffectedRaces.lock(activities: [activity])] {
      try await transaction.execute(lock)
    }
    let races = try await transaction.query(Self.fields(activity)).decode(Int64.self, JSON.self).map(\.0)
    let effects = try await outcomes(races, in: transaction).effects
    let hash = InputHash.text(of: effects)
    guard hash == expected else {
      throw CommandError(
        .refused, rule: "hash",
        "the effects of a decision on activity \(activity) have changed: the hash is now \(hash)")
    }
  }

  private func outcomes(_ races: [Int64], in transaction: Transaction) async throws -> Outcomes {
    guard let status = try await transaction.query(Self.status(of: activity)).first(String.self) else {
      throw CommandError(.missing, rule: "activity", "there is no activity \(activity)")
    }
    return Outcomes(
      status: status, now: try await outcomes(races, after: nil, in: transaction),
      approve: try await outcomes(races, after: "approve", in: transaction),
      disqualify: try await outcomes(races, after: "disqualify", in: transaction))
  }

  private func outcomes(
    _ races: [Int64], after decision: String?, in transaction: Transaction
  ) async throws -> [Int64: ReviewOutcome]? {
    if let decision {
      let isRefused = try await transaction.query(
        "SELECT racing.decision_refusal(a, \(decision)) IS NOT NULL FROM racing.activity AS a WHERE a.id = \(activity)"
      ).one(Bool.self)
      if isRefused { return nil }
    }
    try await transaction.execute("SAVEPOINT preview")
    if let decision {
      _ = try await transaction.query("SELECT racing.review_activity(\(activity), \(decision), 'preview', '')")
    }
    let now = try await gate.again(transaction)
    let tasks = try await SettlementGather.tasks(races, at: now, withOpen: true, in: transaction)
    var outcomes: [Int64: ReviewOutcome] = [:]
    for task in tasks { outcomes[task.raceId] = try ReviewOutcome(task) }
    try await transaction.execute("ROLLBACK TO SAVEPOINT preview")
    return outcomes
  }

  static func status(of activity: Int64) -> Statement {
    "SELECT status FROM racing.activity WHERE id = \(activity)"
  }

  /// An administrator may overrule with one decision at least, unless both are refused.
  static func refusals(_ activity: Int64) -> Statement {
    """
    SELECT jsonb_build_object('approve', racing.decision_refusal(a, 'approve') -> 'rule',
      'disqualify', racing.decision_refusal(a, 'disqualify') -> 'rule',
      'requestInfo', racing.decision_refusal(a, 'request_info') -> 'rule',
      'overrule', CASE WHEN racing.overrule_refusal(a, 'approve') IS NOT NULL
        THEN racing.overrule_refusal(a, 'disqualify') -> 'rule' END)
    FROM racing.activity AS a WHERE a.id = \(activity)
    """
  }

  static func lockAthlete(_ activity: Int64) -> Statement {
    """
    SELECT FROM racing.athlete WHERE id = (SELECT a.athlete_id FROM racing.activity AS a WHERE a.id = \(activity))
    FOR NO KEY UPDATE
    """
  }

  static func lockActivity(_ activity: Int64) -> Statement {
    "SELECT FROM racing.activity WHERE id = \(activity) FOR NO KEY UPDATE"
  }

  /// The entries of a race that are named by their own number or their athlete's, with the athletes' names.
  static func people(of race: Int64, entries: Set<Int64>, athletes: Set<Int64>) -> Statement {
    """
    SELECT coalesce(jsonb_agg(jsonb_build_object('entryId', e.id, 'athleteId', a.id, 'displayName', a.display_name)
      ORDER BY e.id), '[]')
    FROM racing.entry AS e JOIN racing.athlete AS a ON a.id = e.athlete_id
    WHERE e.race_id = \(race) AND (e.id = ANY(\(Array(entries))) OR e.athlete_id = ANY(\(Array(athletes))))
    """
  }

  /// The athlete's races whose window holds the activity, with the figures of the field beside the activity's own.
  static func fields(_ activity: Int64) -> Statement {
    """
    SELECT r.id, jsonb_build_object('type', r.type, 'duration', r.duration, 'category', r.category, 'status', r.status,
      'dueAt', settled.iso(r.due_at), 'entryId', e.id, 'entryStatus', e.status, 'entries', r.entry_count,
      'score', CASE r.type WHEN 'top_speed' THEN a.top_speed_mm_per_s WHEN 'furthest_distance' THEN a.distance_cm
        WHEN 'fastest_1km' THEN a.fastest_1km_ms ELSE a.fastest_5km_ms END,
      'best', f.scores[1:3], 'median', f.median, 'ranked', f.ranked)
    FROM racing.activity AS a
    JOIN racing.entry AS e ON e.athlete_id = a.athlete_id
    JOIN racing.race AS r ON r.id = e.race_id AND r.starts_at <= a.started_at AND a.started_at < r.ends_at
      AND r.due_at > a.imported_at AND r.status <> 'cancelled'
    CROSS JOIN LATERAL (
      SELECT count(*) AS ranked, coalesce(array_agg(q.score ORDER BY q.merit DESC), '{}') AS scores,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY q.merit DESC) * CASE WHEN r.type LIKE 'fastest%' THEN -1 ELSE 1 END
          AS median
      FROM (
        SELECT max(CASE WHEN r.type LIKE 'fastest%' THEN -x.score ELSE x.score END) AS merit,
          abs(max(CASE WHEN r.type LIKE 'fastest%' THEN -x.score ELSE x.score END)) AS score
        FROM racing.qualifying_activity AS x
        WHERE x.race_id = r.id AND x.status = 'verified' AND NOT x.is_held AND x.score IS NOT NULL AND x.activity_id <> a.id
        GROUP BY x.entry_id
      ) AS q
    ) AS f
    WHERE a.id = \(activity) ORDER BY r.id
    """
  }
}
