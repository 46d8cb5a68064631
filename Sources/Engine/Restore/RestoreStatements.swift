package import Postgres

/// The statements about databases that are older than a node's record of them. Times are real time.
package enum RestoreStatements {
  /// SQL of the timeline that the server writes: another one after each failover, and
  /// after a restore to a point in time.
  private static let timelineOfWrites = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint"

  /// The database's identity, its former and present place, its timeline, this node's heartbeats, the time, and the
  /// names of the marks in `kept` that the database does not have.
  static func facts(node: String, _ marks: [HistoryMark], holding kept: [String: String]) -> Statement {
    let holds = conditions(marks, kept)
    let lacking = holds.reduce("SELECT NULL::text AS mark, true AS is_held" as Statement) { statement, hold in
      "\(fragment: statement) UNION ALL SELECT \(hold.name), (\(fragment: hold.condition))"
    }
    return """
      SELECT i.id::text AS installation, i.home, settled.place() AS place, \(raw: timelineOfWrites) AS timeline,
        clock_timestamp() AS now, coalesce((SELECT n.beats FROM settled.node AS n WHERE n.node = \(node)), 0) AS beats,
        ARRAY(SELECT h.mark FROM (\(fragment: lacking)) AS h WHERE h.is_held IS NOT TRUE) AS lacking
      FROM settled.installation AS i
      """
  }

  /// The database's identity, its timeline, this node's heartbeats, the time, and the newest of each mark, in their
  /// order; no row while a finding waits for an operator.
  static func present(node: String, _ marks: [HistoryMark]) -> Statement {
    """
    SELECT i.id::text AS installation, \(raw: timelineOfWrites) AS timeline, clock_timestamp() AS now,
      coalesce((SELECT n.beats FROM settled.node AS n WHERE n.node = \(node)), 0) AS beats,
      \(raw: array(marks)) AS newest
    FROM settled.installation AS i
    WHERE \(raw: isAnswered)
    """
  }

  /// The newest of each mark as one array of text, in their order.
  ///
  /// No row while a finding waits for an operator, in another database or timeline, or if the database does not
  /// have a mark or a heartbeat of `kept`.
  static func newest(_ marks: [HistoryMark], after kept: KeptHistory) -> Statement {
    let newest: Statement = """
      SELECT \(raw: array(marks)) FROM settled.installation AS i
      WHERE \(raw: isAnswered) AND i.id::text = \(kept.installation)
        AND \(raw: timelineOfWrites) = \(kept.timeline)
        AND coalesce((SELECT n.beats FROM settled.node AS n WHERE n.node = \(kept.node)), 0) >= \(kept.beats)
      """
    return conditions(marks, kept.marks).reduce(newest) { "\(fragment: $0) AND (\(fragment: $1.condition))" }
  }

  private static func array(_ marks: [HistoryMark]) -> String {
    "ARRAY[\(marks.map { "(\($0.newest.sql))" }.joined(separator: ", "))]::text[]"
  }

  /// Whether no finding waits for an operator.
  private static let isAnswered = "NOT EXISTS (SELECT FROM settled.restoration AS r WHERE r.accepted_at IS NULL)"

  /// SQL of one value for each mark that is in `kept`: whether the database has it.
  private static func conditions(
    _ marks: [HistoryMark], _ kept: [String: String]
  ) -> [(name: String, condition: Statement)] {
    marks.compactMap { mark in
      guard let value = kept[mark.name], !value.isEmpty else { return nil }
      return (mark.name, "(\(fragment: mark.holds(value)))")
    }
  }

  /// Whether an operator accepted the database as it is after an instant.
  package static func isAccepted(since instant: Timestamp) -> Statement {
    "SELECT EXISTS (SELECT FROM settled.restoration AS r WHERE r.accepted_at > \(instant))"
  }

  /// Records the database's present place as its own.
  package static let setHome: Statement = "SELECT settled.set_home()"

  static let home: Statement = "SELECT home FROM settled.installation"

  /// The database's former place is unknown.
  static let doubtHome: Statement = "SELECT settled.doubt_home()"

  /// The database is a copy with its own identity.
  package static let fork: Statement = "SELECT settled.fork()"

  /// Whether the database is a copy, or was restored to another place.
  package static let isElsewhere: Statement = "SELECT settled.is_elsewhere()"

  package static let installation: Statement = "SELECT id::text FROM settled.installation"

  /// The nodes of the database if all of them fell silent, the time of the last heartbeat, and whether a node that was
  /// there would remember the database; else no row.
  ///
  /// A new node has a row without a heartbeat. Nodes remember since the migration 0029-restorations.
  static func silentNodes(_ node: String) -> Statement {
    """
    SELECT string_agg(n.node, ', ' ORDER BY n.node), settled.iso(max(n.last_seen_at)),
      max(n.last_seen_at) > (SELECT m.applied_at FROM settled.migration AS m WHERE m.number = 29)
    FROM settled.node AS n
    WHERE n.node <> \(node) OR n.beats > 0
    HAVING max(n.last_seen_at) < clock_timestamp() - interval '3 minutes'
    """
  }

  /// One finding of a node waits at a time; returns 1 if it is new, or stops more jobs.
  ///
  /// - Parameter isOfPlace: nothing else was found, so that an answer given meanwhile is valid.
  static func stop(
    node: String, timeline: Int64, finding: String, jobs: [String], isOfPlace: Bool = false
  ) -> Statement {
    """
    INSERT INTO settled.restoration (node, found_at, timeline, finding, jobs)
    SELECT \(node), clock_timestamp(), \(timeline), \(finding), \(jobs)
    WHERE NOT \(isOfPlace) OR settled.is_elsewhere()
    ON CONFLICT (node) WHERE accepted_at IS NULL DO UPDATE SET finding = excluded.finding, jobs = excluded.jobs
      WHERE NOT restoration.jobs @> excluded.jobs
    """
  }

  /// Accepts the finding.
  package static let accept: Statement =
    "UPDATE settled.restoration SET accepted_at = clock_timestamp() WHERE accepted_at IS NULL"

  package static let timeline: Statement = "SELECT \(raw: timelineOfWrites)"

  /// The findings that wait, as operators see them.
  package static let standing: Statement = """
    SELECT coalesce(jsonb_agg(jsonb_build_object('node', r.node, 'foundAt', settled.iso(r.found_at),
      'timeline', r.timeline, 'finding', r.finding) ORDER BY r.id), '[]')
    FROM settled.restoration AS r WHERE r.accepted_at IS NULL
    """

  /// Whether a finding waits that stops a job.
  package static func stops(_ job: String) -> Statement {
    """
    SELECT EXISTS (SELECT FROM settled.restoration AS r WHERE r.accepted_at IS NULL AND \(job) = ANY (r.jobs))
    """
  }

  /// The name of the problem that operators see.
  package static let problem = "restore"

  /// The name of the problem of a database whose nodes all fell silent.
  package static let silenceProblem = "silent-nodes"
}
