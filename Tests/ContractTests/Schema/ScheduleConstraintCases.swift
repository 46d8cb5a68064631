extension ConstraintCases {
  /// A partition's index has a name of its own, which is what the server says.
  static let saidAs = [
    "occurrence_once": "occurrence_default_pkey", "entry_of_date": "entry_default_pkey",
    "report_once": "report_default_pkey",
  ]

  static let schedules = [
    ("schedule_name", schedule("'-bad', '* * * * *', NULL, 'once', NULL, NULL, '5 minutes', '0', now(), NULL")),
    ("schedule_timing", schedule("'a', NULL, NULL, 'once', NULL, NULL, '5 minutes', '0', now(), NULL")),
    ("schedule_timing", schedule("'a', '* * * * *', now(), 'once', NULL, NULL, '5 minutes', '0', now(), NULL")),
    ("schedule_missed", schedule("'a', '* * * * *', NULL, 'none', NULL, NULL, '5 minutes', '0', now(), NULL")),
    ("schedule_missed", schedule("'a', '* * * * *', NULL, 'all', 3, NULL, '5 minutes', '0', now(), NULL")),
    ("schedule_spans", schedule("'a', '* * * * *', NULL, 'once', NULL, NULL, '0', '0', now(), NULL")),
    ("schedule_spans", schedule("'a', '* * * * *', NULL, 'once', NULL, NULL, '5 minutes', '-1 s', now(), NULL")),
    ("schedule_next", schedule("'a', '* * * * *', NULL, 'once', NULL, NULL, '5 minutes', '0', now(), now()")),
    (
      "schedule_period_order",
      "INSERT INTO settled.schedule_period (schedule, zone, valid_from, valid_to) VALUES ('a', 'UTC', now(), '1999-01-01')"
    ),
    ("occurrence_once", occurrence("'planned', NULL, NULL, NULL, NULL, NULL") + "; " + planned),
    ("occurrence_status", occurrence("'waiting', NULL, now(), NULL, NULL, 'x'")),
    ("occurrence_running", occurrence("'running', NULL, NULL, NULL, NULL, NULL")),
    ("occurrence_ended", occurrence("'ran', NULL, NULL, NULL, NULL, NULL")),
    ("occurrence_ended", occurrence("'planned', NULL, now(), NULL, NULL, NULL")),
    ("occurrence_reason", occurrence("'skipped', NULL, now(), NULL, NULL, NULL")),
    ("run_once", run("now(), false, NULL, NULL, NULL") + "; " + run("now(), false, NULL, NULL, NULL")),
    ("run_claimed", run("now(), false, now(), now(), NULL")),
    ("run_claimed", run("now(), true, NULL, now(), NULL")),
    ("run_backend", run("now(), true, NULL, NULL, 1")),
    ("call_window_length", callWindow("0, now(), 0, NULL")),
    ("call_window_used", callWindow("900, now(), -1, NULL")),
    ("call_window_used_with_reserve", callWindow("900, now(), 1, NULL", usedWithReserve: 2)),
    ("call_window_told", callWindow("900, now(), 0, -1")),
    ("occurrence_history_only_row", "UPDATE settled.occurrence_history SET only_row = false"),
  ]

  private static func run(_ values: String) -> String {
    """
    INSERT INTO settled.run (schedule, instant, is_first, started_at, claimed_at, backend, is_own, due_at)
    VALUES ('a', \(values), false, now())
    """
  }

  private static let planned = occurrence("'planned', NULL, NULL, NULL, NULL, NULL")

  private static func schedule(_ values: String) -> String {
    """
    INSERT INTO settled.schedule (name, cron, at, missed, runs_max, within, timeout, splay, cursor_at, next_tick_at, zone)
    VALUES (\(values), 'UTC')
    """
  }

  private static func occurrence(_ values: String) -> String {
    """
    INSERT INTO settled.occurrence
      (schedule, instant, planned_at, due_at, status, started_at, finished_at, node, claimed_at, reason)
    VALUES ('a', '2031-01-01Z', now(), now(), \(values))
    """
  }

  private static func callWindow(_ values: String, usedWithReserve: Int = 0) -> String {
    """
    INSERT INTO settled.call_window (budget, seconds, started_at, used, told_limit, used_with_reserve)
    VALUES ('a', \(values), \(usedWithReserve))
    """
  }
}
