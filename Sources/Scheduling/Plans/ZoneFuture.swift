import Engine
import TextCoding
package import Postgres
import Cron

/// Notices new tz data: how the zones in use will stand to UTC is remembered, and compared on a fresh connection.
///
/// Back ends cache zones for their life, so an old connection would not see it.
package enum ZoneFuture {
  /// Years ahead that are compared.
  private static let years = 3

  /// Compares and remembers; returns the zones whose clocks will change otherwise than was known.
  ///
  /// Schedules of these zones are planned anew: up to now by what was known, which their closed period keeps for the
  /// audit, and from now on by the new data. An event says so. `updates` bring what modules keep up to date, whether
  /// or not a zone of a schedule changed.
  package static func check(_ connection: Connection, updates: [Statement] = []) async throws -> [String] {
    try await connection.transaction { transaction in
      try await transaction.execute(lock)
      for update in updates { try await transaction.execute(update) }
      let now = try await BusinessClock.read(transaction)
      let changed = try await transaction.query(compare(at: now)).decode(String.self)
      for zone in changed { try await replan(zone, now: now, transaction) }
      try await transaction.execute(remember(at: now))
      guard !changed.isEmpty else { return [] }
      let payload = JSONValue.object([("zones", .array(changed.map(JSONValue.text)))]).serialized
      try await transaction.execute(
        EventStatements.emit(topic: "time_zones.changed", keys: ["tzdata"], payloads: [payload], at: now))
      return changed
    }
  }

  /// Nodes that compare at the same time go one after the other, by the row of the schedule that does so every day.
  private static let lock: Statement = """
    SELECT FROM settled.schedule WHERE name = '\(raw: BuiltInSchedule.timeZones)' FOR NO KEY UPDATE
    """

  private static let zonesInUse = "SELECT DISTINCT zone FROM settled.schedule"

  /// The known offsets reach as far as they do; beyond their end nothing can differ.
  private static func compare(at now: Timestamp) -> Statement {
    """
    SELECT f.zone FROM settled.zone_future AS f
    WHERE f.zone IN (\(raw: zonesInUse)) AND f.offsets IS DISTINCT FROM (
      SELECT jsonb_agg(jsonb_build_array(o.start, o.seconds) ORDER BY o.start)
      FROM settled.zone_offsets(f.zone, f.known_from, f.known_from + interval '\(raw: String(years * 366)) days') AS o)
    ORDER BY f.zone
    """
  }

  /// Moved on once a month while the server knows the zone, or at once where it differs: the span
  /// compared always reaches years ahead.
  private static func remember(at now: Timestamp) -> Statement {
    """
    \(fragment: futures(at: now, of: """
      SELECT used.zone FROM (\(raw: zonesInUse)) AS used
      WHERE settled.knows_zone(used.zone) AND NOT EXISTS (SELECT FROM settled.zone_future AS k
        WHERE k.zone = used.zone AND k.known_from > \(now)::timestamptz - interval '70 days')
      """))
    ON CONFLICT (zone) DO UPDATE SET known_from = excluded.known_from, offsets = excluded.offsets
    """
  }

  /// A zone that comes into use is known from then on, should the server lose it before the next comparison; what is
  /// known already stays, to be compared.
  static func meet(_ zone: String, at now: Timestamp) -> Statement {
    """
    \(fragment: futures(at: now, of: """
      SELECT n.zone FROM (SELECT \(zone)::text AS zone) AS n
      WHERE NOT EXISTS (SELECT FROM settled.zone_future AS k WHERE k.zone = n.zone)
      """))
    ON CONFLICT (zone) DO NOTHING
    """
  }

  private static func futures(at now: Timestamp, of zones: Statement) -> Statement {
    """
    INSERT INTO settled.zone_future AS f (zone, known_from, offsets)
    SELECT z.zone, z.low, (SELECT jsonb_agg(jsonb_build_array(o.start, o.seconds) ORDER BY o.start)
      FROM settled.zone_offsets(z.zone, z.low, z.low + interval '\(raw: String(years * 366)) days') AS o)
    FROM (SELECT zone, date_trunc('second', \(now)::timestamptz) - interval '40 days' AS low
      FROM (\(fragment: zones)) AS these) AS z
    """
  }

  private static func replan(_ zone: String, now: Timestamp, _ transaction: Transaction) async throws {
    let known = try await transaction.query("SELECT offsets::text FROM settled.zone_future WHERE zone = \(zone)")
      .one(String.self)
    let names = try await transaction.query(
      "SELECT name FROM settled.schedule WHERE zone = \(zone) ORDER BY name FOR NO KEY UPDATE"
    ).decode(String.self)
    for name in names {
      guard let schedule = try await ScheduleDefinitions.lock(name, transaction) else { continue }
      try await transaction.execute(
        "UPDATE settled.schedule_period SET offsets = \(JSON(text: known)) WHERE schedule = \(name) AND valid_to IS NULL"
      )
      try await ScheduleDefinitions.put(
        schedule, now: now, by: offsets(known, end: now.wholeSecond + 1), transaction)
    }
    try await transaction.execute("DELETE FROM settled.zone_future WHERE zone = \(zone)")
  }

  /// The offsets as they were known: `[[start, offset], ...]`.
  static func offsets(_ text: String, end: Int64) -> ZoneOffsets? {
    let numbers = text.split { !"-0123456789".contains($0) }.compactMap { Int64($0) }
    guard numbers.count >= 2, numbers.count.isMultiple(of: 2) else { return nil }
    let spans = stride(from: 0, to: numbers.count, by: 2).map {
      ZoneOffsets.Span(start: numbers[$0], offset: numbers[$0 + 1])
    }
    return ZoneOffsets(spans, end: max(end, (spans.last?.start ?? 0) + 1))
  }
}
