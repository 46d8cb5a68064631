import Engine
import TextCoding
package import Postgres
import Cron

/// Detects new tz data: the future UTC offsets of the zones in use are stored, and compared with those of a fresh
/// session.
///
/// Sessions cache zones for their lifetime, so all of them use the stored offsets (`settled.zone_offsets`,
/// `settled.shown`), and only this type replaces them. Source: Engine.docc/TimeZones.md.
package enum ZoneFuture {
  /// The name of the problem of a server whose processes inherit old data.
  package static let staleProblem = "time zones"

  /// Compares and stores; returns the zones whose clocks will change differently from the stored offsets.
  ///
  /// Schedules of these zones are planned again: up to now by the stored offsets, which their closed period keeps for
  /// the audit, and from now on by the new data. An event names them. `updates` refresh the modules' stored instants,
  /// whether or not a zone of a schedule changed. A session that is older than the last reading does not count: it may
  /// have the former data, as behind a pooler that reuses old sessions.
  package static func check(_ connection: Connection, updates: [Statement] = []) async throws -> [String] {
    try await connection.transaction { transaction in
      try await transaction.execute(lock)
      let now = try await BusinessClock.read(transaction)
      let (isNew, changed, stale) = try await transaction.query(differences).one(
        Bool.self, [String].self, [String].self)
      for zone in changed { try await replan(zone, now: now, transaction) }
      for statement in [extend(at: now), meetSettings(at: now)] + updates { try await transaction.execute(statement) }
      if isNew { try await report(stale, transaction) }
      guard !changed.isEmpty else { return [] }
      let payload = JSONValue.object([("zones", .array(changed.map(JSONValue.text)))]).serialized
      try await transaction.execute(
        EventStatements.emit(topic: "time_zones.changed", keys: ["tzdata"], payloads: [payload], at: now))
      return changed
    }
  }

  /// Nodes that compare at the same time take turns, by the row lock of the schedule that compares every day.
  private static let lock: Statement = """
    SELECT FROM settled.schedule WHERE name = '\(raw: BuiltInSchedule.timeZones)' FOR NO KEY UPDATE
    """

  /// Whether this session is younger than the reading of a row of `settled.zone_future` (here `f`). A reading in the
  /// future comes from a clock that was ahead.
  private static let isFresh = """
    (f.read_at <= (SELECT a.backend_start FROM pg_stat_activity AS a WHERE a.pid = pg_backend_pid())
      OR f.read_at > clock_timestamp())
    """

  /// Whether this session is new, the zones whose clocks will change differently from the stored offsets, and the zones
  /// that differ from their own files.
  ///
  /// PostgreSQL ignores a colon before the name of a file, but caches the zone under the name with the colon. So a
  /// session that has never used that name reads the file.
  ///
  /// The stored offsets end somewhere; beyond their end nothing can differ. A zone that the server no longer has keeps
  /// its stored offsets. The server itself read the zones of the last list when it started, for one of its settings,
  /// and all of its sessions inherit them.
  static let differences: Statement = """
    WITH read AS MATERIALIZED (
      SELECT f.zone, f.offsets, \(raw: isFresh) AS is_fresh, settled.read_future(f.zone, f.known_from) AS own,
        settled.read_future(':' || f.zone, f.known_from) AS other
      FROM settled.zone_future AS f
    )
    SELECT a.backend_start > transaction_timestamp() - interval '1 minute',
      ARRAY(SELECT r.zone FROM read AS r WHERE r.is_fresh AND r.offsets <> r.own ORDER BY r.zone),
      ARRAY(SELECT r.zone FROM read AS r WHERE r.own <> r.other ORDER BY r.zone)
    FROM pg_stat_activity AS a WHERE a.pid = pg_backend_pid()
    """

  /// Extends the stored offsets once a month, so that they always reach years ahead.
  static func extend(at now: Timestamp) -> Statement {
    """
    SELECT settled.learn_zone(f.zone, \(now)) FROM settled.zone_future AS f
    WHERE \(raw: isFresh) AND (f.known_from <= \(now)::timestamptz - interval '1680 hours' OR f.known_from > \(now)::timestamptz)
    """
  }

  static func meetSettings(at now: Timestamp) -> Statement {
    "SELECT settled.meet_zone(settled.setting(s.key), \(now)) FROM settled.setting AS s WHERE s.kind = 'zone'"
  }

  /// A zone's offsets are stored when it is first used, in case the server loses it before the next comparison; offsets
  /// stored earlier are kept for the comparison.
  static func meet(_ zone: String, at now: Timestamp) -> Statement {
    "SELECT settled.meet_zone(\(zone), \(now))"
  }

  private static func report(_ zones: [String], _ transaction: Transaction) async throws {
    guard !zones.isEmpty else {
      try await transaction.execute(ProblemStatements.solve(staleProblem))
      return
    }
    let text = """
      the database server read the files of \(zones.joined(separator: ", ")) when it started, and they have changed \
      since: the server uses the old rules until PostgreSQL is restarted. If timezone and log_timezone are set to UTC in \
      postgresql.conf, the next update needs no restart
      """
    try await transaction.execute(ProblemStatements.state(staleProblem, text))
  }

  private static func replan(_ zone: String, now: Timestamp, _ transaction: Transaction) async throws {
    let known = try await transaction.query("SELECT offsets::text FROM settled.zone_future WHERE zone = \(zone)")
      .one(String.self)
    try await transaction.execute("SELECT settled.learn_zone(\(zone), \(now))")
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
  }

  /// The stored offsets: `[[start, offset], ...]`.
  static func offsets(_ text: String, end: Int64) -> ZoneOffsets? {
    let numbers = text.split { !"-0123456789".contains($0) }.compactMap { Int64($0) }
    guard numbers.count >= 2, numbers.count.isMultiple(of: 2) else { return nil }
    let spans = stride(from: 0, to: numbers.count, by: 2).map {
      ZoneOffsets.Span(start: numbers[$0], offset: numbers[$0 + 1])
    }
    return ZoneOffsets(spans, end: max(end, (spans.last?.start ?? 0) + 1))
  }
}
