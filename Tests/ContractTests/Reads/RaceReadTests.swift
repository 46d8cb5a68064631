import Postgres
import TestSupport
import Testing

@Suite("racing.race") struct RaceReadTests {
  /// Two entries of 100 p, one of them refunded if the case says so.
  private static func raced() async throws -> Course {
    let course = try await Course()
    let race = try await course.race()
    for name in ["First", "Second"] { _ = try await course.enter(course.athlete(name), race) }
    try #require(race == 1)
    return course
  }

  private static func document(
    status: String, gross: Int = 200, fee: Int = 2, pool: Int = 198, waitingFor: String = "null",
    settlement: String = "null"
  ) -> String {
    """
    {"id": 1, "type": "top_speed", "duration": "daily", "category": "senior_men", "startsAt": "2031-06-03T00:00:00.000Z",
     "endsAt": "2031-06-04T00:00:00.000Z", "dueAt": "2031-06-04T01:00:00.000Z",
     "createdAt": "2031-06-02T09:00:00.000Z", "status": "\(status)",
     "entryFeePence": 100, "entryCount": 2, "grossPence": \(gross), "platformFeePence": \(fee),
     "prizePoolPence": \(pool), "waitingFor": \(waitingFor), "settlement": \(settlement)}
    """
  }

  private static let settle = """
    INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
      prize_pool_pence, input_hash, counted_activities, held_activities)
    """

  static let cases: [(name: String, change: String, document: String)] = [
    ("upcoming", "SELECT 1", document(status: "upcoming")),
    ("active", "UPDATE racing.race SET status = 'active'", document(status: "active")),
    (
      "ended, in the grace", "SELECT settled.set_clock('2031-06-04T00:00Z'); UPDATE racing.race SET status = 'ended'",
      document(
        status: "ended", waitingFor: #"{"reason": "grace", "until": "2031-06-04T01:00:00.000Z", "activities": []}"#)
    ),
    (
      "ended and due", "SELECT settled.set_clock('2031-06-04T01:00Z'); UPDATE racing.race SET status = 'ended'",
      document(status: "ended")
    ),
    (
      "ended, in the grace, where something was waited for already",
      """
      SELECT settled.set_clock('2031-06-04T00:59:59Z');
      UPDATE racing.race SET status = 'ended', waiting_activities = '{7}'
      """,
      document(
        status: "ended", waitingFor: #"{"reason": "grace", "until": "2031-06-04T01:00:00.000Z", "activities": []}"#)
    ),
    (
      "waiting for a review",
      """
      SELECT settled.set_clock('2031-06-04T01:00Z');
      UPDATE racing.race SET status = 'ended', waiting_activities = '{7,9}', next_check_at = '2031-06-05Z'
      """,
      document(
        status: "ended",
        waitingFor: #"{"reason": "review", "until": "2031-06-07T01:00:00.000Z", "activities": [7, 9]}"#)
    ),
    (
      "with an entry that is out",
      "UPDATE racing.entry SET status = 'disqualified' WHERE id = 2",
      document(status: "upcoming", gross: 100, fee: 1, pool: 99)
    ),
    (
      "settled, in its second revision",
      """
      UPDATE racing.race SET status = 'settled';
      \(settle) VALUES (1, 1, 'paid', '2031-06-04T01:00:00Z', 200, 2, 198, '', '{}', '{}'),
        (1, 2, 'paid', '2031-06-05T01:00:00.5Z', 200, 2, 198, '', '{}', '{}');
      INSERT INTO racing.payout VALUES (1, 1, 1, 2, 2, 198), (1, 2, 1, 2, 2, 99), (1, 2, 1, 1, 1, 99)
      """,
      document(
        status: "settled",
        settlement: """
          {"revision": 2, "outcome": "paid", "settledAt": "2031-06-05T01:00:00.500Z", "payouts": [
            {"place": 1, "entryId": 1, "athleteId": 1, "amountPence": 99},
            {"place": 1, "entryId": 2, "athleteId": 2, "amountPence": 99}]}
          """)
    ),
    (
      "settled as void",
      """
      UPDATE racing.race SET status = 'settled'; UPDATE racing.entry SET status = 'refunded', is_refunded = true;
      \(settle) VALUES (1, 1, 'void', '2031-06-04T01:00:00Z', 200, 0, 0, '', '{}', '{}')
      """,
      document(
        status: "settled", gross: 0, fee: 0, pool: 0,
        settlement: #"{"revision": 1, "outcome": "void", "settledAt": "2031-06-04T01:00:00.000Z", "payouts": []}"#)
    ),
    (
      "cancelled",
      "UPDATE racing.race SET status = 'cancelled'; UPDATE racing.entry SET status = 'refunded', is_refunded = true",
      document(status: "cancelled", gross: 0, fee: 0, pool: 0)
    ),
  ]

  @Test(arguments: ["UTC", "Europe/London", "Asia/Kolkata"])
  func `racing.race shows every status in exactly the contract's shape, in any session zone`(zone: String) async throws
  {
    let course = try await Self.raced()
    try await course.session.run("SET timezone = '\(zone)'")
    try await course.session.run("SET intervalstyle = 'iso_8601'")
    for (name, change, document) in Self.cases {
      try await course.session.transaction(commit: false) { transaction in
        try await transaction.script(change)
        try await transaction.expect("racing.race(1)", is: document, "\(name)")
        try await transaction.expect("racing.races()", is: "[\(document)]", "\(name)")
      }
    }
  }
}
