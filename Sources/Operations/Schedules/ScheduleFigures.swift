import Postgres

/// The schedules for metrics, by name: the built-in ones and operators'.
enum ScheduleFigures {
  static let all = [
    Figure(
      "settled_schedule_failed", "Whether the schedule has a problem: its last run failed, or it cannot run.",
      label: "schedule", failed),
    Figure("settled_schedule_paused", "Whether an operator has paused the schedule.", label: "schedule", paused),
    Figure(
      "settled_schedule_late_seconds", "Lateness of the longest overdue tick that has not begun.",
      label: "schedule", late),
  ]

  static let failed: Statement = """
    SELECT s.name, (p.name IS NOT NULL AND NOT s.paused)::integer::double precision
    FROM settled.schedule AS s LEFT JOIN settled.problem AS p ON p.name = 'schedule ' || s.name
    ORDER BY s.name LIMIT \(Int64(Figure.namesMax))
    """

  static let paused: Statement = """
    SELECT s.name, s.paused::integer::double precision FROM settled.schedule AS s
    ORDER BY s.name LIMIT \(Int64(Figure.namesMax))
    """

  static let late: Statement = """
    SELECT s.name, greatest(0, extract(epoch FROM n.now - least(r.due_at, CASE WHEN NOT s.paused THEN s.next_tick_at END)))
      ::double precision
    FROM (SELECT settled.clock() AS now) AS n, settled.schedule AS s
    LEFT JOIN LATERAL (SELECT min(r.due_at) AS due_at FROM settled.run AS r
      WHERE r.schedule = s.name AND r.claimed_at IS NULL) AS r ON true
    ORDER BY s.name LIMIT \(Int64(Figure.namesMax))
    """
}
