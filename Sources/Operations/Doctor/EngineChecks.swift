import Engine
import Postgres

/// The checks of every installation.
package enum EngineChecks {
  static let rightsRemedy = "settled migrate restores the privileges"

  package static let checks: [Check] = [
    Check("clock kind") { transaction in
      let simulated = try await transaction.query(
        "SELECT coalesce((SELECT simulated FROM settled.installation), false)"
      ).one(Bool.self)
      return simulated
        ? .init("this database uses a simulated clock", ok: false, remedy: "use a database created for production")
        : .init("this database uses the real clock")
    },
    .none(
      "owner",
      """
      SELECT count(*) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      JOIN pg_roles AS r ON r.oid = p.proowner WHERE n.nspname = ANY(\(Ownership.schemas)) AND r.rolsuper
      """,
      good: "no settled function is owned by a superuser",
      bad: { $0.counted("settled function is", "settled functions are") + " owned by a superuser" },
      remedy: "run settled migrate once as a superuser: the \(Ownership.owner) role becomes the owner of everything"),
    Check("owner's members") { transaction in
      let members = try await transaction.query(
        """
        SELECT m.rolname::text FROM pg_auth_members AS a JOIN pg_roles AS m ON m.oid = a.member
        JOIN pg_roles AS o ON o.oid = a.roleid WHERE o.rolname = \(Ownership.owner) AND NOT m.rolsuper ORDER BY 1 LIMIT 9
        """
      ).decode(String.self)
      return members.isEmpty
        ? .init("only superusers can act as \(Ownership.owner)")
        : .init(
          "\(members.joined(separator: ", ")) can act as \(Ownership.owner): do not run migrate as a superuser here")
    },
    Check("durability") { transaction in
      let value = try await transaction.query("SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'")
        .one(String.self)
      let unsafe = try await transaction.query(
        "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name"
      ).decode(String.self)
      if !unsafe.isEmpty {
        return .init(
          "\(unsafe.joined(separator: " and ")) is off: a power failure can corrupt the entire database", ok: false,
          remedy: unsafe.map { "ALTER SYSTEM SET \($0) = on" }.joined(separator: "; ") + "; SELECT pg_reload_conf()")
      }
      return value == "off"
        ? .init(
          "synchronous_commit is off: a power failure can lose commits that apps saw succeed", ok: false,
          remedy: "ALTER DATABASE ... RESET synchronous_commit, and check the settings of the roles and the server")
        : .init("commits are durable (synchronous_commit = \(value))")
    },
    .none(
      "database rights",
      """
      SELECT count(*) FROM pg_database AS d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
      WHERE d.datname = current_database() AND a.grantee = 0
      """,
      good: "only named roles can connect to this database",
      bad: { _ in "PUBLIC can connect to this database, or create temporary tables in it" },
      remedy:
        "GRANT CONNECT to settled_daemon, settled_schedule, settled_gateway and your apps, then REVOKE ALL ON DATABASE ... FROM PUBLIC"
    ),
    Check("rights") { transaction in
      let changed = try await transaction.query(
        """
        SELECT format(CASE WHEN is_missing THEN '%s no longer has %s on %s' ELSE '%s was given %s on %s' END,
          role, privilege, object), count(*) OVER ()
        FROM settled.changed_rights() ORDER BY is_missing DESC, role, object, privilege LIMIT 5
        """
      ).decode(String.self, Int64.self)
      guard let count = changed.first?.1 else {
        return .init("each role has the privileges that the last migration granted")
      }
      let more = count > changed.count ? ", and \(count - Int64(changed.count)) more" : ""
      return .init(
        changed.map(\.0).joined(separator: "; ") + more, ok: false, remedy: rightsRemedy)
    },
    .none(
      "clock hold", "SELECT count(*) FROM settled.clock_hold WHERE NOT lifted AND NOT accepted",
      good: "no node reports that the clock is wrong",
      bad: { $0.counted("node reports", "nodes report") + " that the clock is wrong, so nothing is being settled" },
      remedy: ProblemKind.clockHeld.remedy()),
    .none(
      "clocks of nodes", "SELECT count(*) FROM settled.clock_hold WHERE lifted AND NOT accepted",
      good: "no node sees a clock jump that others do not",
      bad: {
        $0.counted("node sees", "nodes see") + " a clock jump that others do not, so nothing is being settled there"
      },
      remedy: ProblemKind.clockOutvoted.remedy()),
    .none(
      "restore", "SELECT count(*) FROM settled.restoration WHERE accepted_at IS NULL",
      good: "no node remembers more than the database has",
      bad: {
        $0.counted("node remembers", "nodes remember")
          + " more than the database has: it was restored or moved, or has lost commits"
      },
      remedy: ProblemKind.restored.remedy()),
    .none(
      "future stamps",
      """
      SELECT (SELECT count(*) FROM settled.event WHERE occurred_at > settled.clock() + interval '1 minute')
        + (SELECT count(*) FROM settled.audit WHERE at > clock_timestamp() + interval '1 minute')
      """,
      good: "no row has a future timestamp",
      bad: { $0.counted("row has", "rows have") + " a future timestamp" },
      remedy: "the clock was wrong when they were written; see settlectl audit log"),
    .none(
      "quarantine", "SELECT count(*) FROM settled.failure WHERE quarantined", good: "nothing is quarantined",
      bad: { $0.counted("item is", "items are") + " quarantined" }, remedy: ProblemKind.quarantined.remedy()),
    Check("notify queue") { transaction in
      let used = try await transaction.query("SELECT (100 * pg_notification_queue_usage())::bigint").one(Int64.self)
      return used < 10
        ? .init("the notification queue is \(used) % full")
        : .init(
          "the notification queue is \(used) % full: at 50 %, settled stops sending notifications and polls every second",
          ok: false,
          remedy: ProblemKind.notifyQueue.remedy())
    },
    .none(
      "paused jobs",
      """
      SELECT (SELECT count(*) FROM settled.job WHERE paused)
        + (SELECT count(*) FROM settled.schedule WHERE paused AND call IS NULL)
      """, good: "no job is paused",
      bad: { $0.counted("job is", "jobs are") + " paused" }, remedy: ProblemKind.jobPaused.remedy()),
    .none(
      "time zones", "SELECT count(*) FROM settled.time_zone WHERE name NOT IN (SELECT name FROM pg_timezone_names)",
      good: "the server has every time zone in use here",
      bad: { "the server no longer has " + $0.counted("zone") },
      remedy: "install tzdata and tzdata-legacy on its host"),
    AppSessionCheck.check,
    Check("old zone names") { transaction in
      let known = try await transaction.query(
        "SELECT EXISTS (SELECT FROM settled.time_zone WHERE name = 'Asia/Calcutta')"
      ).one(Bool.self)
      return known
        ? .init("old zone names such as Asia/Calcutta exist")
        : .init("Asia/Calcutta is missing", ok: false, remedy: "install tzdata-legacy on the server, then migrate")
    },
  ]
}
