import Postgres
import TestSupport
import Testing

@Suite("The list of races in racepace") struct RacepaceRaceListTests {
  /// Races of one world, all with another end but for two; `rest` more have settled long ago.
  private static func world(settled rest: Int = 0) async throws -> Course {
    let course = try await Course()
    try await course.session.script(
      """
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at)
      SELECT CASE WHEN settled THEN 'fastest_1km' ELSE 'top_speed' END, 'daily', 'senior_men', at, ends_at,
        ends_at + interval '1 hour', ends_at + interval '1 hour', 100, 1, '{75,20,5}', '3 hours', '72 hours',
        CASE WHEN settled THEN 'settled' ELSE 'upcoming' END, at
      FROM (
        SELECT g > 100 AS settled, settled.clock() + interval '1 day' - g * interval '1 minute' AS at,
          settled.clock() + interval '2 days' + interval '0.000001 second'
            - CASE g WHEN 2 THEN 1 ELSE g END * interval '1 minute' AS ends_at
        FROM generate_series(1, \(100 + rest)) AS g) AS r;
      ANALYZE racing.race;
      """)
    return course
  }

  private static func ids(_ course: Course, _ arguments: String) async throws -> [Int64] {
    try await course.session.value(
      """
      SELECT coalesce(array_agg((r ->> 'id')::bigint), '{}')
      FROM jsonb_array_elements(gateway.racepace_races(\(arguments))) AS r
      """, as: [Int64].self)
  }

  @Test func `races that end first come first, and pages of seven have each race once`() async throws {
    let course = try await Self.world()
    let expected = Array((3...100).reversed()) + [1, 2]
    #expect(try await Self.ids(course, "") == expected.map(Int64.init))
    var (paged, cursor): ([Int64], String?) = ([], nil)
    repeat {
      let after = cursor.map { "'\($0)'" } ?? "NULL"
      paged += try await Self.ids(course, "'{}', \(after), 7")
      cursor = try await course.session.value(
        "SELECT gateway.racepace_races('{}', \(after), 7) #>> '{-1,cursor}'", as: String?.self)
    } while cursor != nil && paged.count <= expected.count
    #expect(paged == expected.map(Int64.init))
  }

  @Test func `a gateway of the release before cursors gets each race once by the ids of races`() async throws {
    let course = try await Self.world()
    var (paged, last): ([Int64], Int64?) = ([], nil)
    repeat {
      let page = try await Self.ids(course, "'{}', \(last.map(String.init) ?? "NULL")::bigint, 7")
      paged += page
      last = page.last
    } while last != nil && paged.count <= 100
    #expect(paged == (Array((3...100).reversed()) + [1, 2]).map(Int64.init))
    let unknown = try await course.session.tried("SELECT gateway.racepace_races('{}', 999::bigint, 7)")
    #expect(unknown == "SD400 after")
  }

  @Test(arguments: [
    "''", "'3'", "'" + String(repeating: "g", count: 32) + "'", "'" + String(repeating: "0", count: 32) + "'",
    "'" + String(repeating: "0", count: 31) + "1 '", "'7fffffffffffffff0000000000000001'",
    "'80000000000000000000000000000001'", "'0000000000000001ffffffffffffffff'",
  ])
  func `a cursor that no page gave is refused`(cursor: String) async throws {
    let course = try await Course()
    #expect(try await course.session.tried("SELECT gateway.racepace_races('{}', \(cursor))") == "SD400 after")
  }

  @Test func `a page costs the same among a hundred thousand races`() async throws {
    var touched: [[Int]] = []
    for size in [1000, 100_000] {
      let course = try await Self.world(settled: size)
      let middle = try await course.session.value(
        "SELECT gateway.race_cursor(ends_at, id) FROM racing.race ORDER BY id OFFSET \(size / 2) LIMIT 1",
        as: String.self)
      var costs: [Int] = []
      let filters = [
        "", #"'{"status": "ended"}'"#, #"'{"status": "ended"}', '\#(middle)'"#,
        #"'{"status": "ended", "type": "top_speed"}'"#, #"'{"type": "top_speed", "category": "men_u23"}'"#,
      ]
      for arguments in filters {
        costs.append(
          try await course.session.pagesTouched(Statement(raw: "SELECT gateway.racepace_races(\(arguments))")))
      }
      touched.append(costs)
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 50, "\(touched)") }
  }
}
