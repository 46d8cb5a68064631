import Postgres

enum CalendarStatements {
  /// Regular races whose period has not ended and begins within `lead`: type, duration, category, window, date.
  private static func regular(at now: Timestamp, lead: Duration) -> Statement {
    """
    SELECT t.type, d.duration, c.category, p.starts_at, p.ends_at, z.name AS zone, p.local_date,
      t.place AS type_place, c.place AS category_place
    FROM settled.setting('racing.time_zone') AS z(name), unnest(\(RaceCalendar.durations)) AS d(duration), LATERAL (
        SELECT e.starts_at, e.ends_at, settled.local_date(e.starts_at, z.name) AS local_date
        FROM racing.calendar_periods(d.duration, z.name, \(now),
          \(now)::timestamptz + \(lead.components.seconds)::bigint * interval '1 second') AS e OFFSET 0) AS p,
      unnest(\(RaceType.allCases.map(\.rawValue))) WITH ORDINALITY AS t(type, place),
      unnest(\(RaceCalendar.categories)) WITH ORDINALITY AS c(category, place)
    WHERE settled.setting('racing.calendar') = 'on'
    """
  }

  private static func absent(at now: Timestamp, lead: Duration) -> Statement {
    """
    SELECT g.* FROM (\(fragment: regular(at: now, lead: lead))) AS g
    WHERE NOT EXISTS (SELECT FROM racing.race AS r WHERE r.type = g.type AND r.duration = g.duration
      AND r.category = g.category AND r.starts_at = g.starts_at)
    AND NOT EXISTS (SELECT FROM racing.race AS r WHERE r.type = g.type AND r.duration = g.duration
      AND r.category = g.category AND r.local_zone = g.zone AND r.local_date = g.local_date)
    """
  }

  /// Makes the races that do not exist: how many were made, and how many wait for somebody's open transaction.
  static func fill(at now: Timestamp) -> Statement {
    """
    SELECT count(*) FILTER (WHERE m.made), count(*) FILTER (WHERE m.made IS NULL)
    FROM (SELECT racing.make_regular_race(a.type, a.duration, a.category, a.starts_at, a.ends_at, \(now)) AS made
      FROM (\(fragment: absent(at: now, lead: RaceCalendar.lead))
        ORDER BY g.starts_at, g.ends_at, g.type_place, g.category_place) AS a OFFSET 0) AS m
    """
  }

  static let isOn: Statement = "SELECT settled.setting('racing.calendar') = 'on'"

  static func missing(at now: Timestamp) -> Statement {
    "SELECT count(*) FROM (\(fragment: absent(at: now, lead: RaceCalendar.noticeLeast))) AS a"
  }

  /// Special races in the place of regular ones: id, start, and whether the last run could not see them yet.
  static func conflicts(at now: Timestamp) -> Statement {
    """
    SELECT r.id, r.starts_at, coalesce(r.created_at > l.at
      OR r.starts_at > l.at + \(RaceCalendar.lead.components.seconds)::bigint * interval '1 second', true)
    FROM (\(fragment: regular(at: now, lead: RaceCalendar.lead))) AS g
    JOIN racing.race AS r ON r.type = g.type AND r.duration = g.duration AND r.category = g.category
      AND r.starts_at = g.starts_at AND r.ends_at <> g.ends_at
      AND (r.local_zone, r.local_date) IS DISTINCT FROM (g.zone, g.local_date),
      (SELECT max(o.started_at) AS at FROM settled.occurrence AS o
       WHERE o.schedule = \(RaceCalendar.name) AND o.status = 'ran') AS l
    ORDER BY r.starts_at, r.id
    """
  }
}
