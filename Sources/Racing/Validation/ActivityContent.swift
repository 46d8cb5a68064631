import Postgres

/// Reads what an activity's scores and verdict are made of.
enum ActivityContent {
  /// All but the streams. Decimals come as billionths, further digits cut.
  static func statement(_ ids: [Int64]) -> Statement {
    """
    SELECT a.id, a.activity_type,
      a.start_latitude, a.start_longitude, a.end_latitude, a.end_longitude, coalesce(a.polyline, '') <> '',
      trunc(a.distance * 1000000000)::bigint, trunc(a.elapsed_time * 1000000000)::bigint,
      trunc(a.moving_time * 1000000000)::bigint, trunc(a.max_speed * 1000000000)::bigint,
      EXISTS (SELECT FROM racing.activity_stream AS s WHERE s.activity_id = a.id)
    FROM racing.activity AS a WHERE a.id = ANY(\(ids)) ORDER BY a.id
    """
  }

  /// The digest that tells one content of an activity from another.
  static func hashes(_ ids: [Int64]) -> Statement {
    "SELECT id, content_hash FROM racing.activity WHERE id = ANY(\(ids))"
  }

  static func streams(_ id: Int64) -> Statement {
    "SELECT times, distances FROM racing.activity_stream WHERE activity_id = \(id)"
  }

  /// Hands each activity's content to `body` in turn: one activity's streams are in memory at a time.
  static func forEach(
    _ ids: [Int64], in transaction: Transaction, _ body: (Int64, Validation.Input) throws -> Void
  ) async throws {
    let rows = try await transaction.query(statement(ids)).decode(
      Int64.self, String.self, Double?.self, Double?.self, Double?.self, Double?.self, Bool.self,
      Int64.self, Int64.self, Int64.self, Int64?.self, Bool.self)
    for (id, type, startLat, startLon, endLat, endLon, hasTrack, distance, elapsed, moving, maxSpeed, hasStreams)
      in rows
    {
      let streams = hasStreams ? try await read(id, in: transaction) : nil
      try body(
        id,
        Validation.Input(
          activityType: type, startLocation: location(startLat, startLon), endLocation: location(endLat, endLon),
          hasTrack: hasTrack,
          measures: ActivityMeasures(
            distance: distance, elapsedTime: elapsed, movingTime: moving, maxSpeed: maxSpeed, streams: streams)))
    }
  }

  private static func read(_ id: Int64, in transaction: Transaction) async throws -> Streams? {
    try await transaction.query(streams(id)).first([Int64].self, [Int64].self).flatMap {
      Streams(times: $0.0, distances: $0.1)
    }
  }

  private static func location(_ latitude: Double?, _ longitude: Double?) -> Location? {
    guard let latitude, let longitude else { return nil }
    return Location(latitude: latitude, longitude: longitude)
  }
}
