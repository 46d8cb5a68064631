import Engine
import Postgres

/// The checks of the database's server, as far as the daemon's own role can see it.
package enum ServerChecks {
  package static let checks: [Check] = [
    schema, objects, replicaRole, encoding, collation, sequences, oldTransactions, deadRows, transactionIds,
    replication, slots,
  ]

  /// The most transactions that may start while one is open; autovacuum keeps all of their dead rows.
  static let transactionsMax: Int64 = 1_000_000
  private static let remedy =
    "SELECT pid, usename, state, xact_start FROM pg_stat_activity ORDER BY xact_start; then pg_terminate_backend(pid); or the slots' xmin in pg_replication_slots"

  static let deadRowsMax: Int64 = 100_000
  /// The most bytes of the server's log that a slot may keep, or that a standby may not have applied.
  static let logBytesMax: Int64 = 1_073_741_824

  private static let schema = Check("schema") { transaction in
    let state = try await SchemaState.read(Migrations(), from: transaction)
    if let refusal = state.refusal {
      return .init(
        refusal.description, ok: false, remedy: "run settled migrate, or install the release that matches the database")
    }
    return .init(state.advice ?? "the schema matches this program")
  }

  /// The first objects that are named.
  static let objectsMax = 20

  private static let objects = Check("objects") { transaction in
    let differences = try await SchemaDifference.all(from: Migrations(), transaction)
    let damaged = differences.filter { !$0.isForeign }
    guard damaged.isEmpty else {
      return .init(
        listed(damaged.map(\.description)), ok: false,
        remedy: "settled migrate restores them; rows written in the meantime were not checked")
    }
    let foreign = differences.filter(\.isForeign)
    return foreign.isEmpty
      ? .init("tables, constraints, indexes, triggers and functions match the program")
      : .init("all of the program's objects exist; other objects: " + listed(foreign.map(\.description)))
  }

  private static func listed(_ texts: [String]) -> String {
    let more = texts.count > objectsMax ? ["and \(texts.count - objectsMax) more"] : []
    return (texts.prefix(objectsMax) + more).joined(separator: "; ")
  }

  private static let replicaRole = Check("triggers fire") { transaction in
    let settings = try await transaction.query(ServerStatements.replicaRoles).decode(String.self)
    guard !settings.isEmpty else { return .init("no setting disables triggers and foreign keys") }
    return .init(
      "session_replication_role is set, so triggers do not fire and foreign keys are not checked", ok: false,
      remedy: settings.joined(separator: "; "))
  }

  private static let encoding = Check("encoding") { transaction in
    let refusal = try await DatabaseRefusal.encoding(transaction)
    return refusal.map { .init($0.description, ok: false, remedy: DatabaseRefusal.encodingRemedy) }
      ?? .init("the database uses UTF8")
  }

  private static let sequences = Check("sequences") { transaction in
    let behind = try await transaction.query(ServerStatements.sequencesBehind).decode(String.self, Int64.self)
    guard !behind.isEmpty else { return .init("no sequence is behind its table") }
    let names = behind.map(\.0).joined(separator: ", ")
    return .init(
      "sequences whose next value is already in use: \(names); inserts fail with 23505", ok: false,
      remedy: behind.map { "SELECT setval('\($0.0)', \($0.1));" }.joined(separator: " "))
  }

  /// Keys compare bytes; other text indexes are out of order after a change of the locale data.
  private static let collation = Check("collation") { transaction in
    let changed = try await transaction.query(ServerStatements.changedCollation).first(String.self, String.self)
    guard let (database, versions) = changed else { return .init("the locale data matches the indexes") }
    return .init(
      "the server's locale data has changed (\(versions)): text indexes may be out of order", ok: false,
      remedy: "REINDEX DATABASE \(database); then ALTER DATABASE \(database) REFRESH COLLATION VERSION")
  }

  private static let oldTransactions = Check("old transactions") { try await oldTransactions(transactionsMax, $0) }

  static func oldTransactions(_ transactionsMax: Int64, _ transaction: Transaction) async throws -> Check.Finding {
    let (begun, prepared, seconds) = try await transaction.query(ServerStatements.oldTransactions)
      .one(Int64.self, Int64.self, Int64.self)
    if prepared > 0 {
      return .init(
        prepared.counted(
          "prepared transaction in this database has", "prepared transactions in this database have")
          + " been open for more than a minute",
        ok: false,
        remedy: "SELECT gid, prepared, owner FROM pg_prepared_xacts; then COMMIT or ROLLBACK PREPARED")
    }
    if begun > transactionsMax || seconds > 300 {
      return .init(
        "dead rows have been kept for \(begun.counted("transaction")): an open transaction or a slot keeps them"
          + " (the oldest visible transaction: \(seconds) s)",
        ok: false, remedy: remedy)
    }
    return .init("no transaction delays vacuum")
  }

  private static let deadRows = Check("dead rows") { try await deadRows(deadRowsMax, $0) }

  static func deadRows(_ deadRowsMax: Int64, _ transaction: Transaction) async throws -> Check.Finding {
    let worst = try await transaction.query(ServerStatements.deadRows(above: deadRowsMax)).first(
      String.self, Int64.self, Int64.self)
    guard let (table, dead, live) = worst else { return .init("autovacuum keeps up with settled's tables") }
    return .init(
      "\(table) has \(dead.counted("dead row")) and \(live) live ones", ok: false,
      remedy: "end old transactions, then VACUUM (VERBOSE) \(table), and check the server's autovacuum settings")
  }

  private static let transactionIds = Check("transaction ids") { transaction in
    let age = try await transaction.query(ServerStatements.idAge).one(Int64.self)
    return age < 1_000_000_000
      ? .init("\(age / 1_000_000) million of 2,000 million transaction ids are in use")
      : .init(
        "\(age / 1_000_000) million transaction ids are in use: at 2,000 million the server stops", ok: false,
        remedy: "end old transactions, drop unused replication slots, then VACUUM this database")
  }

  private static let replication = Check("replication") { try await replication(logBytesMax, $0) }

  static func replication(_ logBytesMax: Int64, _ transaction: Transaction) async throws -> Check.Finding {
    let confirming = try await confirming(transaction)
    let late = try await transaction.query(ServerStatements.lateStandby(behind: logBytesMax)).first(
      String.self, String.self, Int64.self)
    guard confirming.isOk, let (standby, state, bytes) = late else { return confirming }
    return .init(
      "the standby \(standby) (\(state)) has not applied the last \(bytes / 1_048_576) MB: "
        + "a failover to it would take longer",
      ok: false,
      remedy: "check its log, disk, network and long queries, and whether its replay is paused")
  }

  /// The row of `ServerStatements.standbys`.
  private struct Standbys {
    let names: String
    let needed: Int64
    let connected: Int64
    let confirming: Int64
    let seesAll: Bool

    init(_ row: Row) throws(PostgresError) {
      names = try row["names"]
      needed = try row["needed"]
      connected = try row["standbys"]
      confirming = try row["confirming"]
      seesAll = try row["sees_all"]
    }
  }

  /// Whether the synchronous standbys confirm commits.
  private static func confirming(_ transaction: Transaction) async throws -> Check.Finding {
    let found = try await transaction.query(ServerStatements.standbys).decodeOne(as: Standbys.init)
    let (names, needed, standbys) = (found.names, found.needed, found.connected)
    let (confirming, seesAll) = (found.confirming, found.seesAll)
    let connected = "\(standbys.counted("standby", "standbys")) connected"
    if names.isEmpty {
      return .init("no commit waits for a standby (\(connected)): a failover can lose the latest commits")
    }
    if seesAll, confirming >= needed {
      return .init("commits wait for \(needed) of: \(names) (\(connected), of which \(confirming) confirm)")
    }
    if !seesAll, standbys >= needed {
      return .init(
        "commits wait for \(needed) of: \(names) (\(connected); this role cannot see which of them confirm)")
    }
    return .init(
      "commits wait for \(needed) of: \(names), and only \(seesAll ? confirming : standbys) of them confirm", ok: false,
      remedy: "bring a standby back online; writes wait until then")
  }

  private static let slots = Check("replication slots") { try await slots(logBytesMax, $0) }

  static func slots(_ logBytesMax: Int64, _ transaction: Transaction) async throws -> Check.Finding {
    let kept = try await transaction.query(ServerStatements.idleSlots(above: logBytesMax)).first(
      String.self, Int64.self)
    guard let (slot, bytes) = kept else { return .init("no idle replication slot retains the server's WAL") }
    return .init(
      "the replication slot \(slot) is unused and retains \(bytes / 1_048_576) MB of the server's WAL", ok: false,
      remedy: "bring its standby back, or SELECT pg_drop_replication_slot('\(slot)')")
  }
}

enum ServerStatements {
  private static let seesAll = "pg_has_role('pg_read_all_stats', 'USAGE')"

  /// The database, and both versions of its locale data if they differ: null for C and C.UTF-8.
  static let changedCollation: Statement = """
    SELECT quote_ident(d.datname), format('%s, now %s', d.datcollversion, v.actual)
    FROM pg_database AS d, pg_database_collation_actual_version(d.oid) AS v (actual)
    WHERE d.datname = current_database() AND d.datcollversion <> v.actual
    """

  /// The remedy for settings that keep triggers from firing in sessions of this database.
  static let replicaRoles: Statement = """
    SELECT format('ALTER %s RESET session_replication_role', CASE
        WHEN s.setrole = 0 AND s.setdatabase = 0 THEN 'ROLE ALL'
        WHEN s.setrole = 0 THEN 'DATABASE ' || quote_ident(current_database())
        WHEN s.setdatabase = 0 THEN 'ROLE ' || s.setrole::regrole
        ELSE format('ROLE %s IN DATABASE %I', s.setrole::regrole, current_database()) END)
    FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c (setting)
    WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
      AND lower(c.setting) LIKE 'session_replication_role=%' AND lower(c.setting) NOT LIKE '%=origin'
    UNION ALL
    SELECT 'ALTER SYSTEM RESET session_replication_role; SELECT pg_reload_conf()' FROM pg_settings
    WHERE name = 'session_replication_role' AND source = 'configuration file' AND setting <> 'origin'
    ORDER BY 1
    """

  static let sequencesBehind: Statement =
    "SELECT sequence, newest FROM settled.sequences_behind() ORDER BY sequence COLLATE \"C\""

  /// How many transactions started since the oldest stored snapshot; waiting prepared transactions; the age in seconds
  /// of the oldest transaction whose start the role may see. Without pg_read_all_stats those of other roles are hidden.
  static let oldTransactions: Statement = """
    WITH session AS (
      SELECT a.xact_start, a.backend_xmin FROM pg_stat_activity AS a
      WHERE (a.datname = current_database() OR a.datname IS NULL) AND a.pid <> pg_backend_pid()
        AND a.pid NOT IN (SELECT v.pid FROM pg_stat_progress_vacuum AS v)
    )
    SELECT greatest(pg_snapshot_xmax(s)::text::bigint - pg_snapshot_xmin(s)::text::bigint,
        (SELECT max(age(backend_xmin)) FROM session),
        (SELECT max(greatest(age(r.xmin), 0)) FROM pg_replication_slots AS r)),
      (SELECT count(*) FROM pg_prepared_xacts
       WHERE database = current_database() AND prepared < clock_timestamp() - interval '1 minute'),
      coalesce((SELECT extract(epoch FROM clock_timestamp() - min(xact_start))::bigint FROM session), 0)
    FROM pg_current_snapshot() AS s
    """

  /// The product's table with the most dead rows, if they are many and outnumber the live ones.
  static func deadRows(above count: Int64) -> Statement {
    """
    SELECT format('%I.%I', schemaname, relname), n_dead_tup, n_live_tup FROM pg_stat_user_tables
    WHERE schemaname = ANY (\(Ownership.schemas)) AND n_dead_tup > \(count) AND n_dead_tup > n_live_tup
    ORDER BY n_dead_tup DESC LIMIT 1
    """
  }

  static let idAge: Statement =
    "SELECT age(datfrozenxid)::bigint FROM pg_database WHERE datname = current_database()"

  static let standbys: Statement = """
    SELECT current_setting('synchronous_standby_names') AS names,
      coalesce((regexp_match(current_setting('synchronous_standby_names'), '^\\s*(?:any|first)?\\s*(\\d+)\\s*\\(', 'i'))[1]::bigint,
        1) AS needed,
      (SELECT count(*) FROM pg_stat_replication) AS standbys,
      (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS confirming,
      \(raw: seesAll) AS sees_all
    """

  /// The standby that is furthest behind, with its state and the bytes of the log that it has not applied; standbys
  /// hidden from the role are left out. A receiver that only stores the log, or takes a base backup, applies nothing.
  static func lateStandby(behind bytes: Int64) -> Statement {
    """
    SELECT application_name, state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint FROM pg_stat_replication
    WHERE pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) > \(bytes)
    ORDER BY 3 DESC LIMIT 1
    """
  }

  static func idleSlots(above bytes: Int64) -> Statement {
    """
    SELECT slot_name::text, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint FROM pg_replication_slots
    WHERE NOT active AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > \(bytes)
    ORDER BY 2 DESC LIMIT 1
    """
  }
}
