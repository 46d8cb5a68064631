import Engine
import Postgres

enum EscalationStatements {
  private static let threshold = "(SELECT settled.setting('racing.flag_threshold')::integer)"

  /// The reminders of the moment, by their place: the first raises a review to level 1.
  private static let reminders = """
    (SELECT m.place, settled.parse_span(m.span) AS span
     FROM unnest(string_to_array(settled.setting('racing.review_reminders'), ',')) WITH ORDINALITY AS m(span, place))
    """

  static func nextDue(job: String) -> String {
    """
    SELECT least(
      (SELECT a.flagged_at FROM racing.activity AS a
       WHERE a.status IN ('pending', 'verified') AND a.flag_count > 0 AND a.flag_count >= \(threshold)
         AND \(HeldBack.excluded(job: job, key: "a.id")) ORDER BY a.flagged_at LIMIT 1),
      (SELECT min(d.at) FROM \(reminders) AS m, LATERAL (
         SELECT r.opened_at + m.span AS at FROM racing.review AS r
         WHERE r.state <> 'decided' AND r.level = m.place - 1
           AND \(HeldBack.excluded(job: job, key: "r.activity_id")) ORDER BY r.opened_at LIMIT 1) AS d))
    """
  }

  /// Every item with its instant.
  static let schedule = """
    SELECT flagged_at, id FROM racing.activity
    WHERE status IN ('pending', 'verified') AND flag_count > 0 AND flag_count >= \(threshold)
    UNION ALL
    SELECT r.opened_at + m.span, r.activity_id FROM racing.review AS r JOIN \(reminders) AS m ON m.place = r.level + 1
    WHERE r.state <> 'decided'
    """

  /// The soonest of them: each level's reviews along their index.
  static func soonest(_ count: Int) -> Statement {
    """
    SELECT d.at, d.id FROM (
      (SELECT a.flagged_at AS at, a.id FROM racing.activity AS a
       WHERE a.status IN ('pending', 'verified') AND a.flag_count > 0 AND a.flag_count >= \(raw: threshold)
       ORDER BY a.flagged_at LIMIT \(count))
      UNION ALL
      SELECT r.at, r.activity_id FROM \(raw: reminders) AS m, LATERAL (
        SELECT x.opened_at + m.span AS at, x.activity_id FROM racing.review AS x
        WHERE x.state <> 'decided' AND x.level = m.place - 1 ORDER BY x.opened_at LIMIT \(count)) AS r
    ) AS d ORDER BY d.at LIMIT \(count)
    """
  }

  /// The window is wider than the batch, so that what other nodes hold is passed over; it is read by its indexes and
  /// keeps the claim's cost apart from the length of the queue.
  static func lock(_ request: LockRequest<Int64>, job: String) -> Statement {
    let window = request.limit + 1000
    return """
      SELECT a.id FROM racing.activity AS a
      WHERE a.id = ANY(ARRAY(
        SELECT d.id FROM (
          (SELECT x.flagged_at AS at, x.id FROM racing.activity AS x
           WHERE x.status IN ('pending', 'verified') AND x.flag_count > 0 AND x.flag_count >= \(raw: threshold)
             AND \(fragment: request.condition(job: job, key: "x.id"))
           ORDER BY x.flagged_at, x.id LIMIT \(window))
          UNION ALL
          (SELECT r.opened_at + m.span, r.activity_id
           FROM racing.review AS r JOIN \(raw: reminders) AS m ON m.place = r.level + 1
           WHERE r.state <> 'decided' AND r.opened_at + m.span <= \(raw: request.now)
             AND \(fragment: request.condition(job: job, key: "r.activity_id"))
           ORDER BY r.opened_at + m.span LIMIT \(window))
        ) AS d))
      ORDER BY a.flagged_at, a.id LIMIT \(request.limit) \(raw: request.clause(of: "a"))
      """
  }

  /// What is still due under the locks, read with a younger snapshot.
  static func activities(_ ids: [Int64]) -> Statement {
    """
    SELECT a.id, a.athlete_id, a.flag_count::bigint, a.status IN ('pending', 'verified'), \(raw: threshold)::bigint,
      r.id, r.level::bigint, r.opened_at,
      ARRAY(SELECT r.opened_at + m.span FROM \(raw: reminders) AS m WHERE r.id IS NOT NULL ORDER BY m.place)
    FROM racing.activity AS a LEFT JOIN racing.review AS r ON r.activity_id = a.id AND r.state <> 'decided'
    WHERE a.id = ANY(\(ids)) ORDER BY a.id
    """
  }

  static func move(_ activities: [Int64]) -> Statement {
    """
    UPDATE racing.activity SET status = 'under_review'
    WHERE id = ANY(\(activities)) AND status IN ('pending', 'verified')
    """
  }

  static func open(_ activities: [Int64], at now: Timestamp) -> Statement {
    "INSERT INTO racing.review (activity_id, opened_at) SELECT a, \(now) FROM unnest(\(activities)) AS a ORDER BY a"
  }

  static func raise(_ escalations: [Escalation]) -> Statement {
    """
    UPDATE racing.review AS r SET level = v.level
    FROM unnest(\(escalations.compactMap(\.activity.review?.id)), \(escalations.compactMap { $0.levels.last.map(Int64.init) }))
      AS v(id, level)
    WHERE r.id = v.id
    """
  }

  static func tell(_ moved: [Escalation.Input], at now: Timestamp) -> Statement {
    EventStatements.emit(
      topic: "activity.under_review", keys: moved.map { String($0.activityId) },
      payloads: moved.map {
        #"{"activityId": \#($0.activityId), "athleteId": \#($0.athleteId), "flagCount": \#($0.flagCount)}"#
      }, at: now)
  }

  static func tell(_ raised: [Escalation], at now: Timestamp) -> Statement {
    let levels = raised.flatMap { escalation in escalation.levels.map { (escalation.activity.activityId, $0) } }
    return EventStatements.emit(
      topic: "review.escalated", keys: levels.map { String($0.0) },
      payloads: levels.map { #"{"activityId": \#($0.0), "level": \#($0.1)}"# }, at: now)
  }
}
