package import Postgres

/// The holders of a lock, in words.
package enum LockHolders {
  /// SQL of one text, null if there is none: `back end 4711, a prepared transaction (GID)`.
  ///
  /// - Parameter pids: SQL of an array, as `pg_blocking_pids` returns it: 0 stands for a prepared transaction, which
  ///   has no process. The oldest ones of this database are named.
  package static func named(_ pids: Statement) -> Statement {
    """
    SELECT string_agg(CASE WHEN h.pid = 0 THEN 'a prepared transaction' || coalesce(' (' || p.names || ')', '')
      ELSE 'back end ' || h.pid END, ', ' ORDER BY h.place)
    FROM (SELECT b.pid, min(b.place) AS place FROM unnest(\(fragment: pids)) WITH ORDINALITY AS b (pid, place)
      GROUP BY b.pid) AS h,
    (SELECT string_agg(left(x.gid, 60), ', ' ORDER BY x.prepared) AS names
      FROM (SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database()
        ORDER BY prepared LIMIT 3) AS x) AS p
    """
  }
}
