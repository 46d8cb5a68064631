import Postgres
import TestSupport
import Testing

/// The pages' examples of days, streaks, ages and calendars, asked of the functions.
@Suite("Pages of days and people", .timeLimit(.minutes(2))) struct DayPageTests {
  private let session: Connection

  init() async throws {
    session = try await SettledDatabase.simulated().connect()
  }

  @Test func `documented calendars of a 23-hour day match the code`() async throws {
    for row in try RulePage("CheckIns.docc/Days.md").rows("The first instant of a date") {
      let (zone, date) = (try row.text("zone"), try row.text("date"))
      let (start, hours) = try await session.query(
        """
        SELECT coalesce(replace(settled.iso(settled.day_start(\(date)::text::date, \(zone))), '.000Z', 'Z'), 'none'),
          coalesce((extract(epoch FROM settled.day_start(checkins.next_date(\(date)::text::date, \(zone)), \(zone))
            - settled.day_start(\(date)::text::date, \(zone))) / 3600)::integer::text, 'none')
        """
      ).one(String.self, String.self)
      #expect(try start == row.text("starts") && hours == row.text("hours"), "\(row): \(start), \(hours)")
    }
  }

  @Test func `documented check-in dates match the code`() async throws {
    for row in try RulePage("CheckIns.docc/Days.md").rows("The local date") {
      let date = try await session.query(
        "SELECT settled.local_date(\(try row.text("at"))::text::timestamptz, \(try row.text("zone")))::text"
      ).one(String.self)
      #expect(try date == row.text("date"), "\(row)")
    }
  }

  @Test func `documented ends of streaks and bridged flights match the code`() async throws {
    let page = try RulePage("CheckIns.docc/Streaks.md")
    for row in try page.rows("Dates that do not exist") {
      let end = try await session.query(
        """
        SELECT checkins.end_of_streak(\(try row.text("last entry"))::text::date,
          \(try row.text("bridged"))::text::datemultirange, \(try row.text("zone")),
          \(try row.text("zone since"))::text::date)::text
        """
      ).one(String.self)
      #expect(try end == row.text("ends with"), "\(row)")
    }
    for row in try page.rows("Flights") {
      let (old, new) = (try row.text("old date"), try row.text("new date"))
      let bridged = try await session.query(
        """
        SELECT coalesce((SELECT string_agg(lower(b)::text || CASE upper(b) - lower(b) WHEN 1 THEN '' ELSE ' and more' END, ' ')
          FROM unnest(checkins.bridges(\(old)::text::date, '{}', 'UTC', '2031-01-01', \(old)::text::date,
            \(new)::text::date)) AS b), 'none')
        """
      ).one(String.self)
      #expect(try bridged == row.text("bridged"), "\(row)")
    }
    for row in try page.rows("Overview") {
      let isAlive = try await session.query(
        """
        SELECT checkins.end_of_streak(\(try row.text("last entry"))::text::date, '{}', 'UTC', '2031-01-01')
          >= \(try row.text("today"))::text::date
        """
      ).one(Bool.self)
      #expect(try isAlive == row.isYes("alive"), "\(row)")
    }
  }

  @Test func `documented check-in scores match the code`() async throws {
    let keys = [
      "sleep": "sleepHours", "steps": "steps", "vigorous": "vigorousMinutes", "food": "processedFoodScore",
      "alcohol": "alcoholUnits", "stress": "stressLevel", "caffeine": "lateCaffeine", "screen": "screenLate",
      "bedtime": "bedtimeHour",
    ]
    for row in try RulePage("CheckIns.docc/CheckInScore.md").rows("Worked scores") {
      let metrics = try keys.map { "\"\($0.value)\": \(try row.text($0.key))" }.joined(separator: ", ")
      let score = try await session.query(
        "SELECT trim_scale(checkins.score(\(JSON(text: "{\(metrics)}"))))::text"
      ).one(String.self)
      #expect(try score == row.text("score"), "\(row)")
    }
  }

  @Test func `documented deltas of the biological age match the code`() async throws {
    for row in try RulePage("CheckIns.docc/Age.md").rows("Deltas") {
      let delta = try await session.query(
        "SELECT checkins.delta_years(\(try row.text("score"))::text::numeric)::text"
      ).one(String.self)
      #expect(try delta == row.text("delta"), "\(row)")
    }
  }

  @Test func `documented ages and open categories match the code`() async throws {
    let page = try RulePage("Racing.docc/Entry.md")
    for row in try page.rows("Age") {
      let age = try await session.query(
        "SELECT racing.age_on(\(try row.text("born"))::text::date, \(try row.text("on"))::text::date)::bigint"
      ).one(Int64.self)
      #expect(try age == row.integer("age"), "\(row)")
    }
    for row in try page.rows("Category") {
      let may = try await session.query(
        "SELECT racing.may_enter(\(try row.text("gender")), \(try row.integer("age"))::integer, \(try row.text("category")))"
      ).one(Bool.self)
      #expect(try may == row.isYes("may enter"), "\(row)")
    }
  }

  @Test func `documented race windows and entry fees match the code`() async throws {
    let page = try RulePage("Racing.docc/Races.md")
    for row in try page.rows("Windows") {
      let window = try await session.query(
        """
        SELECT replace(settled.iso(p.starts_at), '.000Z', 'Z'), replace(settled.iso(p.ends_at), '.000Z', 'Z'),
          (extract(epoch FROM p.ends_at - p.starts_at) / 3600)::bigint
        FROM racing.calendar_periods(\(try row.text("duration")), 'Europe/London', \(try row.text("low"))::text::timestamptz,
          \(try row.text("low"))::text::timestamptz + interval '60 days') AS p ORDER BY p.starts_at LIMIT 1
        """
      ).one(String.self, String.self, Int64.self)
      #expect(try window == (row.text("starts"), row.text("ends"), row.integer("hours")), "\(row)")
    }
    let course = try await Course()
    for row in try page.rows("Overview") where try row.text("part") == "duration" {
      for fee in try page.rows("Fees") {
        let duration = try fee.text("duration")
        let race = try await course.race(duration: duration)
        let pence = try await course.session.query("SELECT entry_fee_pence FROM racing.race WHERE id = \(race)").one(
          Int64.self)
        #expect(try pence == fee.integer("fee in pence") && row.list("values").contains(duration), "\(fee)")
      }
    }
  }

  @Test func `documented seasons and points match the code`() async throws {
    for row in try RulePage("Seasons.docc/Seasons.md").rows("The calendar") {
      let season = try await session.query(
        """
        SELECT s ->> 'season', s ->> 'year' FROM seasons.season_of(\(try row.text("at"))::text::timestamptz) AS s
        """
      ).one(String.self, String.self)
      #expect(try season == (row.text("season"), row.text("year")), "\(row)")
    }
    let earned = try RulePage("Seasons.docc/Points.md").rows("Overview").map {
      (try $0.text("activity"), try $0.integer("points"))
    }
    let kept = try await session.query("SELECT name, points::bigint FROM seasons.activity_type ORDER BY name")
      .decode(String.self, Int64.self)
    #expect(earned.sorted { $0.0 < $1.0 }.map { "\($0)" } == kept.map { "\($0)" })
  }
}
