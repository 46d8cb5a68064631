import Postgres
import TestSupport
import TextCoding

@testable import Racing

/// A race day with racing.proof on, in which the test is the provider: what the daemon would have read, it hands in.
struct ClaimDay: Sendable {
  let day: RaceDay

  init() async throws {
    day = try await RaceDay()
    _ = try await session.query("SELECT settled.set('racing.proof', 'on')")
  }

  var session: Connection { day.session }

  /// Somebody whom the provider knows.
  func athlete(_ name: String = "Ann") async throws -> Int64 {
    let athlete = try await day.course.athlete(name)
    try await session.execute(
      """
      UPDATE strava.connection SET status = 'active', expires_at = settled.clock() + interval '6 hours',
        provider_athlete_id = 7000 + athlete_id WHERE athlete_id = \(athlete)
      """)
    return athlete
  }

  /// An outing in the keys of an import, long enough for every type of race.
  static func outing(
    _ id: Int64, at start: String = "2031-06-03T10:00:00Z", speed: String = "4.5", type: String = "Kayaking",
    distance: String = "6000", more: String = ""
  ) -> JSON {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    return JSON(
      text: """
        {"stravaId": \(id), "name": "Paddle", "activityType": "\(type)", "startDate": "\(start)", "elapsedTime": 1800,
         "movingTime": 1800, "distance": \(distance), "maxSpeed": \(speed), "startLocation": \(place),
         "endLocation": \(place), "polyline": "mock"\(more)}
        """)
  }

  /// What the gateway answers to `POST /activities`.
  @discardableResult
  func post(_ athlete: Int64, _ activity: JSON) async throws -> JSONValue {
    let answer = try await session.query("SELECT gateway.racepace_import(\(athlete), \(activity))").one(JSON.self)
    return try JSONValue(answer.text)
  }

  /// A page of a listing over 3 June that the provider has answered, by default the only one.
  func list(_ athlete: Int64, _ activities: [JSON], isLast: Bool = true, askedAt: String? = nil) async throws {
    let items = JSON(text: "[\(activities.map(\.text).joined(separator: ","))]")
    _ = try await session.query(
      """
      SELECT racing.take_listing(\(athlete), jsonb_build_object('activities', \(items)::jsonb,
        'since', '2031-06-03T00:00:00Z', 'before', '2031-06-04T00:00:00Z', 'isLast', \(isLast)::boolean,
        'askedAt', coalesce(\(askedAt)::text::timestamptz, settled.clock()), 'class', 1,
        'untilAt', settled.clock() + interval '1 day', 'followsSwitch', false))
      """)
  }

  /// The provider's answer about one activity.
  func answer(_ athlete: Int64, _ id: Int64, _ outcome: String, _ activity: JSON? = nil) async throws {
    _ = try await session.query(
      """
      SELECT racing.take_activity(\(athlete), \(id), \(outcome), \(activity), 1, settled.clock() + interval '1 day')
      """)
  }

  /// Of each activity: Strava id, or that which it had, athlete, status, reasons.
  func activities() async throws -> [String] {
    try await session.query(
      """
      SELECT format('%s%s of %s %s %s', strava_id, '(' || displaced_strava_id || ')', athlete_id, status, reasons)
      FROM racing.activity ORDER BY id
      """
    ).decode(String.self)
  }

  /// Of each claim: Strava id, athlete, state.
  func claims() async throws -> [String] {
    try await session.query(
      """
      SELECT format('%s of %s %s', strava_id, athlete_id,
        concat_ws(' ', CASE WHEN rejected_at IS NULL THEN 'open' ELSE 'rejected' END, reason))
      FROM racing.claim ORDER BY id
      """
    ).decode(String.self)
  }

  /// What waits to be read at the provider, without second looks: kind, activity, class.
  func reads(_ athlete: Int64) async throws -> [String] {
    try await session.query(
      """
      SELECT concat_ws(' ', kind, nullif(activity_id, 0), class) FROM strava.read_request
      WHERE athlete_id = \(athlete) ORDER BY 1
      """
    ).decode(String.self)
  }

  func dropReads() async throws { try await session.execute("DELETE FROM strava.read_request") }
}
