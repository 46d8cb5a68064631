import Engine
import HostClock
import HostProcess
import Postgres
import TestSupport

/// pg_cron of Debian, whose schedules tick at full minutes.
enum PgCron {
  /// As many schedules as the bench of ticks has.
  private static let schedules = 50

  static let database = "cron"

  /// Jobs in background workers need no connections, and all of them may run at one instant.
  static let settings = [
    "shared_preload_libraries": "pg_cron", "cron.database_name": database, "cron.use_background_workers": "on",
    "max_worker_processes": "80", "cron.max_running_jobs": "50",
  ]

  /// Its launcher waits for the database, and ends for good when that is dropped.
  static func install(on cluster: BenchCluster) async throws {
    try await cluster.make(database)
    let owner = try await cluster.connect(database)
    try await owner.script(
      """
      CREATE EXTENSION pg_cron;
      CREATE TABLE public.ticked (schedule bigint NOT NULL);
      """)
    await owner.close()
  }

  /// Writes schedules that are not due, and returns the process that watches them.
  static func rest(on cluster: BenchCluster) async throws -> Int32 {
    let owner = try await cluster.connect(database)
    try await owner.execute(
      """
      SELECT count(cron.schedule('bench ' || n, '0 0 29 2 *', 'SELECT 1'))
      FROM generate_series(1, \(Int64(schedules))) AS n
      """)
    let launcher = try await owner.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pg_cron launcher'"
    ).one(Int32.self)
    await owner.close()
    return launcher
  }

  /// How late the commit of each schedule's function is after a full minute, in milliseconds.
  static func minute(on cluster: BenchCluster) async throws -> [Double] {
    let owner = try await cluster.connect(database)
    try await owner.execute("TRUNCATE public.ticked")
    // Time for the extension to read its schedules before the first full minute.
    while try await owner.query("SELECT extract(second FROM clock_timestamp())::integer NOT BETWEEN 5 AND 50").one(
      Bool.self)
    {
      try await Host.timekeeper.sleep(.seconds(1))
    }
    let instant = try await owner.query("SELECT date_trunc('minute', clock_timestamp()) + interval '1 minute'").one(
      Timestamp.self)
    try await owner.execute(
      """
      SELECT count(cron.schedule('bench ' || n, '* * * * *', 'INSERT INTO public.ticked VALUES (' || n || ')'))
      FROM generate_series(1, \(Int64(schedules))) AS n
      """)
    try await untilTrue("the ticks of pg_cron", within: .seconds(120)) {
      try await owner.query("SELECT count(*) = \(Int64(schedules)) FROM public.ticked").one(Bool.self)
    }
    let lateness = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(xmin) - \(instant))::double precision FROM public.ticked
      """
    ).decode(Double.self)
    try await owner.execute("SELECT count(cron.unschedule(jobid)) FROM cron.job")
    await owner.close()
    return lateness
  }
}
