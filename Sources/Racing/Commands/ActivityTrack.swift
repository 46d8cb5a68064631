import Engine
import Operations
import Postgres
import TextCoding

/// `activity show`: an activity with its track and speed, thinned here so that no answer is large.
///
/// A track has up to 1,000,000 characters, and streams up to 200,000 samples: as a heavy read one is in memory at a
/// time. A forgotten activity has no track, because the database has deleted it.
enum ActivityTrack {
  static let pointsMax: Int64 = 2000
  private static let pointsByDefault: Int64 = 500
  /// The newest decisions that are shown.
  static let decisionsMax: Int64 = 100
  /// The athlete's newest activities whose open flags are counted.
  static let activitiesMax: Int64 = 1000

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let id = call.integer("id") ?? 0
    let max = call.integer("points") ?? pointsByDefault
    guard (2...pointsMax).contains(max) else {
      throw CommandError(.usage, rule: "points", "points must be between 2 and \(pointsMax)")
    }
    guard let (shown, polyline) = try await transaction.query(statement(id)).first(JSON.self, String?.self) else {
      throw CommandError(.missing, rule: "activity", "there is no activity \(id)")
    }
    let track = Polyline(polyline ?? "").thinned(to: Int(max))
    let streams = try await ActivityContent.streams(of: id, in: transaction)
    let samples = streams?.speeds(atMost: Int(max)) ?? []
    let more: JSONValue = [
      "points": .array(track.points.map { [degrees($0.latitude), degrees($0.longitude)] }),
      "pointsCount": .integer(Int64(track.count)),
      "samples": .array(
        samples.map {
          [
            "metre": .number(Double($0.millimetres) / 1000), "millisecond": .integer($0.milliseconds),
            "mmPerSecond": .integer($0.mmPerSecond),
          ]
        }),
      "samplesCount": .integer(Int64(streams?.times.count ?? 0)),
      "best": ["km1": best(streams, metres: 1000), "km5": best(streams, metres: 5000)],
    ]
    return try await transaction.query("SELECT \(shown) || \(more.json)").one(JSON.self)
  }

  private static func degrees(_ value: Int64) -> JSONValue { .number(Double(value) / 100_000) }

  private static func best(_ streams: Streams?, metres: Int64) -> JSONValue {
    guard let stretch = streams?.shortestStretch(over: metres * 1_000_000_000) else { return .null }
    let start = Double(stretch.start / 1_000_000) / 1000
    return [
      "fromMetre": .number(start), "toMetre": .number(start + Double(metres)),
      "ms": .integer(Int64(clamping: stretch.time / 1_000_000)),
    ]
  }

  /// The members of the answer but the track, and the track; no row where there is no activity.
  static func statement(_ id: Int64) -> Statement {
    """
    SELECT jsonb_build_object('id', a.id, 'athleteId', a.athlete_id, 'displayName', h.display_name, 'status', a.status,
      'type', a.activity_type, 'startedAt', settled.iso(a.started_at), 'distanceM', a.distance,
      'movingMs', trunc(a.moving_time * 1000)::bigint, 'elapsedMs', trunc(a.elapsed_time * 1000)::bigint,
      'decisions', coalesce((
        SELECT jsonb_agg(jsonb_build_object('at', settled.iso(d.decided_at), 'decision', d.decision,
          'reviewer', d.reviewer, 'reason', d.note) ORDER BY d.id)
        FROM (SELECT x.* FROM racing.decision AS x WHERE x.activity_id = a.id ORDER BY x.id DESC LIMIT \(decisionsMax))
          AS d), '[]'),
      'athleteFlags', (
        SELECT coalesce(sum(x.flag_count + x.uncounted_flags), 0)
        FROM (SELECT y.flag_count, y.uncounted_flags FROM racing.activity AS y WHERE y.athlete_id = a.athlete_id
          ORDER BY y.started_at DESC LIMIT \(activitiesMax)) AS x),
      'forgottenAt', settled.iso(a.forgotten_at), 'deletedAt', settled.iso(a.deleted_at))
      || racing.decided_flags(a.id), a.polyline
    FROM racing.activity AS a JOIN racing.athlete AS h ON h.id = a.athlete_id WHERE a.id = \(id)
    """
  }
}
