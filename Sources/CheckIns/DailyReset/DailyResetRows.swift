import Postgres

enum DailyResetRows {
  /// A caller that holds a day past its end holds up its zone alone: the others are not to wait long for it.
  static let lockWait: Statement = "SET LOCAL lock_timeout = '500ms'"

  /// Waits for the calls that belong to the days: for those that make rows of a tally, and for those that have such
  /// rows. A person who comes later reads the clock under these locks, and belongs to the next day.
  static func holdDays(of zones: [String]) -> [Statement] {
    [
      "SELECT FROM checkins.zone AS z WHERE z.name = ANY(\(zones)) ORDER BY z.name FOR UPDATE",
      """
      SELECT FROM checkins.zone AS z JOIN checkins.tally AS t ON t.zone = z.name AND t.date = z.next_date
      WHERE z.name = ANY(\(zones)) ORDER BY t.zone, t.date, t.shard FOR UPDATE OF t
      """,
    ]
  }

  /// Where each zone stands, whether streaks end there, how many have, and the days that it has from
  /// there on: four dates hold three days in every zone. The least date is one look into the index; for
  /// EXISTS the planner may read every streak.
  static func zones(_ zones: [String]) -> Statement {
    """
    SELECT z.name, z.next_date::text AS next_date,
      z.ended_id > 0 OR coalesce((SELECT min(s.ends_on) FROM checkins.streak AS s
        WHERE s.zone = z.name AND s.ended_at IS NULL) <= z.next_date, false) AS has_ending_streaks,
      z.streaks_ended, z.ended_on::text AS ended_on, z.ended_id,
      array_agg(d.date::text ORDER BY d.date) FILTER (WHERE d.start IS NOT NULL) AS dates,
      array_agg(d.start ORDER BY d.date) FILTER (WHERE d.start IS NOT NULL) AS starts
    FROM checkins.zone AS z, LATERAL (
      SELECT z.next_date + n AS date, settled.day_start(z.next_date + n, z.name) AS start
      FROM generate_series(0, 3) AS n OFFSET 0
    ) AS d
    WHERE z.name = ANY(\(zones)) GROUP BY z.name ORDER BY z.next_at, z.name
    """
  }

  /// The database keeps the future of each zone whose days are closed.
  static let meetZones: Statement = "SELECT settled.meet_zone(z.name, settled.clock()) FROM checkins.zone AS z"

  /// Moves the instants at which days end to where the tz data have them now: a day that ends earlier than it was known
  /// to would be closed late, and one that ends later be looked at in vain.
  ///
  /// Only the reset moves the zones that it has locked; those that the server no longer has are kept.
  static let followZones: Statement = """
    WITH known AS MATERIALIZED (
      SELECT z.name, z.next_date FROM checkins.zone AS z WHERE z.name IN (SELECT name FROM pg_timezone_names)
      FOR NO KEY UPDATE OF z SKIP LOCKED
    ), ending AS (
      -- The second day from the one on which the zone stands, or ought to where that date is no more.
      SELECT k.name, (SELECT d.start FROM (
          SELECT settled.day_start(k.next_date + n, k.name) AS start FROM generate_series(0, 3) AS n OFFSET 0) AS d
        WHERE d.start IS NOT NULL ORDER BY d.start OFFSET 1 LIMIT 1) AS at
      FROM known AS k
    )
    UPDATE checkins.zone AS z SET next_at = e.at FROM ending AS e WHERE z.name = e.name AND z.next_at <> e.at
    """

  /// Streaks that ended for a date which is not closed after all are kept for the next one.
  static func advance(_ resets: [DailyReset]) -> Statement {
    """
    UPDATE checkins.zone AS z SET next_date = r.next_date::date, next_at = r.next_at, streaks_ended = r.streaks_ended,
      ended_on = DEFAULT, ended_id = DEFAULT
    FROM unnest(\(resets.map(\.zone)), \(resets.map(\.date)), \(resets.map(\.nextDate)), \(resets.map(\.nextAt)),
      \(resets.map { $0.closes ? 0 : $0.ended.count })) AS r(zone, date, next_date, next_at, streaks_ended)
    WHERE z.name = r.zone AND z.next_date = r.date::date
    """
  }

  /// How far the closing of days has got that are not yet closed.
  static func keep(_ ended: [(zone: String, ended: EndedStreaks)]) -> Statement {
    """
    UPDATE checkins.zone AS z SET streaks_ended = r.streaks_ended, ended_on = r.ended_on::date, ended_id = r.ended_id
    FROM unnest(\(ended.map(\.zone)), \(ended.map(\.ended.count)), \(ended.map(\.ended.date)), \(ended.map(\.ended.id)))
      AS r(zone, streaks_ended, ended_on, ended_id)
    WHERE z.name = r.zone
    """
  }

  /// How many checked in; the rows that counted them have done their work, as have those of dates that are no more.
  static func takeTallies(_ closing: [DailyReset]) -> Statement {
    """
    WITH taken AS (
      DELETE FROM checkins.tally AS t USING unnest(\(closing.map(\.zone)), \(closing.map(\.date))) AS c(zone, date)
      WHERE t.zone = c.zone AND t.date <= c.date::date
      RETURNING t.zone, CASE WHEN t.date = c.date::date THEN t.checked_in ELSE 0 END AS checked_in
    )
    SELECT zone, sum(checked_in)::bigint FROM taken GROUP BY zone
    """
  }

  /// Ends the next streaks of a day: how many were found and ended, and the last one; nothing where none is left.
  ///
  /// One statement for each zone: together they would tempt the planner to read every streak of the world, and so would
  /// a limit that it does not see, or a join by id. No streak joins those behind the last one, for the day is over.
  static func endStreaks(_ reset: DailyReset, after last: EndedStreaks, limit: Int, at now: Timestamp) -> Statement {
    """
    WITH piece AS MATERIALIZED (
      SELECT s.ctid AS place, s.ends_on, s.id FROM checkins.streak AS s
      WHERE s.zone = \(reset.zone) AND s.ended_at IS NULL AND s.ends_on <= \(reset.date)::text::date
        AND (s.ends_on, s.id) > (\(last.date)::text::date, \(last.id)::bigint)
      ORDER BY s.ends_on, s.id LIMIT \(raw: String(limit))
    ), ended AS (
      UPDATE checkins.streak SET ended_at = \(now)
      WHERE ctid = ANY(ARRAY(SELECT place FROM piece)) AND ended_at IS NULL RETURNING id
    )
    SELECT (SELECT count(*) FROM piece) AS found, (SELECT count(*) FROM ended) AS ended, p.ends_on::text AS date, p.id
    FROM piece AS p ORDER BY p.ends_on DESC, p.id DESC LIMIT 1
    """
  }

  /// Whether the transaction began so recently, by the server's own time.
  static func hasTime(milliseconds: Int) -> Statement {
    "SELECT clock_timestamp() < transaction_timestamp() + \(Int64(milliseconds)) * interval '1 millisecond'"
  }

  static func record(_ closed: [ClosedDay], at now: Timestamp) -> Statement {
    """
    INSERT INTO checkins.day (zone, date, checked_in, streaks_ended, closed_at)
    SELECT c.zone, c.date::date, c.checked_in, c.streaks_ended, \(now)
    FROM unnest(\(closed.map(\.zone)), \(closed.map(\.date)), \(closed.map(\.checkedIn)),
      \(closed.map(\.streaksEnded))) AS c(zone, date, checked_in, streaks_ended)
    """
  }
}

extension DailyReset.Input {
  /// A row of `DailyResetRows.zones`.
  init(_ row: Row) throws(PostgresError) {
    let (dates, starts): ([String], [Timestamp]) = (try row["dates"], try row["starts"])
    self.init(
      zone: try row["name"], date: try row["next_date"], hasEndingStreaks: try row["has_ending_streaks"],
      ended: EndedStreaks(count: try row["streaks_ended"], date: try row["ended_on"], id: try row["ended_id"]),
      days: zip(dates, starts).map { ZoneDay(date: $0, start: $1) })
  }
}

/// A closed day with its totals.
struct ClosedDay: Hashable {
  let zone: String
  let date: String
  let checkedIn: Int64
  let streaksEnded: Int64

  var key: String { "\(zone) \(date)" }

  /// Zones and dates hold nothing that JSON would escape.
  var payload: String {
    #"{"zone": "\#(zone)", "date": "\#(date)", "checkedIn": \#(checkedIn), "streaksEnded": \#(streaksEnded)}"#
  }
}
