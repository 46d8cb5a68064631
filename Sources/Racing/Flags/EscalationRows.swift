import Engine
import Postgres

enum EscalationRows {
  /// Activities with the flags that a review needs. The least that any needs keeps the search at its index.
  private static let isFlagged = """
    t.status IN ('pending', 'verified') AND t.flag_count > 0 AND t.flag_count >= (SELECT racing.flag_threshold(0))
      AND t.flag_count >= racing.flag_threshold(t.approvals)
    """

  /// The present reminders, by their place: the first raises a review to level 1.
  private static let reminders = """
    (SELECT m.place, settled.parse_span(m.span) AS span
     FROM unnest(string_to_array(settled.setting('racing.review_reminders'), ',')) WITH ORDINALITY AS m(span, place))
    """

  /// Flagged activities, and those whose review nobody answers: of each level the reviews along their index.
  static let source = DueSource(
    "racing.activity", key: "id", order: "t.flagged_at",
    [
      .init(at: "t.flagged_at", where: isFlagged),
      .init(
        at: "r.opened_at + m.span", where: "r.state <> 'decided' AND r.level = m.place - 1",
        rows: .init(
          of: "racing.review AS r", key: "r.activity_id", order: "r.opened_at", each: "\(reminders) AS m")),
    ])

  /// The rows that are still due under the locks, read with a younger snapshot.
  static func activities(_ ids: [Int64]) -> Statement {
    """
    SELECT a.id, a.athlete_id, a.flag_count::bigint, a.status IN ('pending', 'verified') AS is_free,
      racing.flag_threshold(a.approvals)::bigint AS threshold, r.id AS review_id, r.level::bigint, r.opened_at,
      ARRAY(SELECT r.opened_at + m.span FROM \(raw: reminders) AS m WHERE r.id IS NOT NULL ORDER BY m.place)
        AS reminders
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

  static func emit(_ moved: [Escalation.Input], at now: Timestamp) -> Statement {
    EventStatements.emit(
      topic: "activity.under_review", keys: moved.map { String($0.activityId) },
      payloads: moved.map {
        #"{"activityId": \#($0.activityId), "athleteId": \#($0.athleteId), "flagCount": \#($0.flagCount)}"#
      }, at: now)
  }

  static func emit(_ raised: [Escalation], at now: Timestamp) -> Statement {
    let levels = raised.flatMap { escalation in escalation.levels.map { (escalation.activity.activityId, $0) } }
    return EventStatements.emit(
      topic: "review.escalated", keys: levels.map { String($0.0) },
      payloads: levels.map { #"{"activityId": \#($0.0), "level": \#($0.1)}"# }, at: now)
  }
}

extension Escalation.Input {
  /// A row of `EscalationRows.activities`.
  init(_ row: Row) throws(PostgresError) {
    let isReviewed = try row["review_id"] as Int64? != nil
    self.init(
      activityId: try row["id"], athleteId: try row["athlete_id"], flagCount: try row["flag_count"],
      isFree: try row["is_free"], threshold: try row["threshold"], review: isReviewed ? try Review(row) : nil)
  }
}

extension Escalation.Input.Review {
  fileprivate init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row["review_id"], level: try row["level"], openedAt: try row["opened_at"],
      reminders: try row["reminders"])
  }
}
