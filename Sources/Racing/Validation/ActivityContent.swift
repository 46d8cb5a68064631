import Postgres

/// Reads what an activity's scores and verdict are made of.
enum ActivityContent {
  /// All but the streams. Decimals come as billionths, further digits cut.
  static func statement(_ ids: [Int64]) -> Statement {
    """
    SELECT a.id, a.activity_type, a.start_latitude, a.start_longitude, a.end_latitude, a.end_longitude,
      coalesce(a.polyline, '') <> '' AS has_track,
      trunc(a.distance * 1000000000)::bigint AS distance, trunc(a.elapsed_time * 1000000000)::bigint AS elapsed_time,
      trunc(a.moving_time * 1000000000)::bigint AS moving_time, trunc(a.max_speed * 1000000000)::bigint AS max_speed,
      EXISTS (SELECT FROM racing.activity_stream AS s WHERE s.activity_id = a.id) AS has_streams
    FROM racing.activity AS a WHERE a.id = ANY(\(ids)) ORDER BY a.id
    """
  }

  /// The digest that distinguishes one content of an activity from another.
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
    for content in try await transaction.query(statement(ids)).decodeAll(as: ActivityRow.init) {
      let streams = content.hasStreams ? try await self.streams(of: content.id, in: transaction) : nil
      try body(content.id, content.input(streams))
    }
  }

  /// Nil where there are none.
  static func streams(of id: Int64, in transaction: Transaction) async throws -> Streams? {
    try await transaction.query(streams(id)).first([Int64].self, [Int64].self).flatMap {
      Streams(times: $0.0, distances: $0.1)
    }
  }
}

/// A row of `ActivityContent.statement`.
struct ActivityRow {
  let id: Int64
  private let type: String
  private let start: Location?
  private let end: Location?
  private let hasTrack: Bool
  private let distance: Int64
  private let elapsedTime: Int64
  private let movingTime: Int64
  private let maxSpeed: Int64?
  let hasStreams: Bool

  init(_ row: Row) throws(PostgresError) {
    id = try row["id"]
    type = try row["activity_type"]
    start = Self.location(try row["start_latitude"], try row["start_longitude"])
    end = Self.location(try row["end_latitude"], try row["end_longitude"])
    hasTrack = try row["has_track"]
    distance = try row["distance"]
    elapsedTime = try row["elapsed_time"]
    movingTime = try row["moving_time"]
    maxSpeed = try row["max_speed"]
    hasStreams = try row["has_streams"]
  }

  func input(_ streams: Streams?) -> Validation.Input {
    Validation.Input(
      activityType: type, startLocation: start, endLocation: end, hasTrack: hasTrack,
      measures: ActivityMeasures(
        distance: distance, elapsedTime: elapsedTime, movingTime: movingTime, maxSpeed: maxSpeed, streams: streams))
  }

  private static func location(_ latitude: Double?, _ longitude: Double?) -> Location? {
    guard let latitude, let longitude else { return nil }
    return Location(latitude: latitude, longitude: longitude)
  }
}
