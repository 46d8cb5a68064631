import Postgres
import TestSupport
import Testing

@Suite("An athlete's category") struct EntryCategoryTests {
  typealias Case = (born: String, gender: String, category: String, starts: String, outcome: String)

  static let refused = "SD403 category"

  /// Bands by the age on 4 March 2030, and who may enter whose races.
  static let bands: [Case] = [
    ("2012-03-05", "male", "junior_boys", "2030-03-04T00:00Z", "ok"),
    ("2012-03-04", "male", "junior_boys", "2030-03-04T00:00Z", refused),
    ("2012-03-04", "male", "men_u23", "2030-03-04T00:00Z", "ok"),
    ("2012-03-05", "male", "men_u23", "2030-03-04T00:00Z", "ok"),
    ("2012-03-05", "male", "senior_men", "2030-03-04T00:00Z", "ok"),
    ("2012-03-05", "male", "masters_men", "2030-03-04T00:00Z", "ok"),
    ("2007-03-05", "male", "men_u23", "2030-03-04T00:00Z", "ok"),
    ("2007-03-04", "male", "men_u23", "2030-03-04T00:00Z", refused),
    ("2007-03-04", "male", "senior_men", "2030-03-04T00:00Z", "ok"),
    ("1995-03-05", "male", "senior_men", "2030-03-04T00:00Z", "ok"),
    ("1995-03-04", "male", "senior_men", "2030-03-04T00:00Z", refused),  // 35
    ("1995-03-04", "male", "masters_men", "2030-03-04T00:00Z", "ok"),
    ("1990-01-01", "male", "junior_boys", "2030-03-04T00:00Z", refused),  // 40: masters only
    ("1990-01-01", "male", "men_u23", "2030-03-04T00:00Z", refused),
    ("1990-01-01", "male", "senior_men", "2030-03-04T00:00Z", refused),
    ("1990-01-01", "male", "masters_men", "2030-03-04T00:00Z", "ok"),
    ("1990-01-01", "female", "masters_women", "2030-03-04T00:00Z", "ok"),
    ("1990-01-01", "female", "masters_men", "2030-03-04T00:00Z", "ok"),
    ("1990-01-01", "female", "senior_women", "2030-03-04T00:00Z", refused),
    ("2000-01-01", "female", "senior_men", "2030-03-04T00:00Z", "ok"),
    ("2000-01-01", "male", "senior_women", "2030-03-04T00:00Z", refused),
    ("2000-01-01", "male", "masters_women", "2030-03-04T00:00Z", refused),
    ("2000-01-01", "other", "senior_men", "2030-03-04T00:00Z", "ok"),
    ("2000-01-01", "other", "senior_women", "2030-03-04T00:00Z", refused),
    ("2015-01-01", "female", "junior_girls", "2030-03-04T00:00Z", "ok"),
    ("2015-01-01", "female", "junior_boys", "2030-03-04T00:00Z", "ok"),
    ("2015-01-01", "male", "junior_girls", "2030-03-04T00:00Z", refused),
    ("2015-01-01", "other", "junior_boys", "2030-03-04T00:00Z", "ok"),
    ("2015-01-01", "female", "women_u23", "2030-03-04T00:00Z", "ok"),
    ("2015-01-01", "female", "masters_men", "2030-03-04T00:00Z", "ok"),
  ]

  /// The day is London's, an hour ahead of UTC in summer; who was born on 29 February turns on 1 March otherwise.
  static let days: [Case] = [
    ("2012-07-02", "male", "junior_boys", "2030-06-30T22:59:59Z", "ok"),
    ("2012-07-01", "male", "junior_boys", "2030-06-30T22:59:59Z", "ok"),
    ("2012-07-01", "male", "junior_boys", "2030-06-30T23:00:00Z", refused),
    ("2012-07-01", "male", "men_u23", "2030-06-30T23:00:00Z", "ok"),
    ("2012-12-01", "male", "junior_boys", "2030-11-30T23:59:59Z", "ok"),
    ("2012-12-01", "male", "junior_boys", "2030-12-01T00:00:00Z", refused),
    ("2012-02-29", "male", "junior_boys", "2030-02-28T00:00:00Z", "ok"),
    ("2012-02-29", "male", "junior_boys", "2030-03-01T00:00:00Z", refused),
    ("2012-02-28", "male", "junior_boys", "2030-02-28T00:00:00Z", refused),
    ("2012-03-01", "male", "junior_boys", "2030-02-28T00:00:00Z", "ok"),
    ("1996-02-29", "female", "senior_women", "2031-02-28T00:00:00Z", "ok"),
    ("1996-02-29", "female", "senior_women", "2031-03-01T00:00:00Z", refused),
    ("2012-02-29", "male", "men_u23", "2035-02-28T00:00:00Z", "ok"),
    ("2012-02-29", "male", "men_u23", "2035-03-01T00:00:00Z", refused),
    ("1992-02-29", "male", "masters_men", "2032-02-29T00:00:00Z", "ok"),
    ("2009-02-28", "male", "men_u23", "2032-02-28T00:00:00Z", refused),
    ("2009-03-01", "male", "men_u23", "2032-02-29T00:00:00Z", "ok"),
    ("2009-03-01", "male", "men_u23", "2032-03-01T00:00:00Z", refused),
  ]

  @Test(arguments: [bands, days], ["UTC", "America/New_York", "Pacific/Auckland"])
  func `an athlete's category depends on the age on the London date of the start, in any session zone`(
    cases: [Case], zone: String
  ) async throws {
    let course = try await Course(at: "2030-01-05T00:00:00Z")
    let session = course.session
    try await session.run("SET timezone = '\(zone)'")
    for each in cases {
      let ended = try await outcome {
        try await session.transaction(commit: false) { transaction in
          let athlete = try await transaction.value(
            "SELECT racing.create_athlete('A', '\(each.born)', '\(each.gender)')")
          let race = try await transaction.value(
            """
            SELECT racing.create_race('top_speed', 'daily', '\(each.category)', '\(each.starts)',
              timestamptz '\(each.starts)' + interval '24 hours')
            """)
          try await transaction.run(
            "SELECT racing.connect_strava(\(athlete), 'c', ''), racing.deposit(\(athlete), 100, 'k')")
          try await transaction.run("SELECT racing.enter_race(\(athlete), \(race))")
        }
      }
      #expect(ended == each.outcome, "\(each)")
    }
  }

  /// Names of zones move to tzdata-legacy, which a new server may lack.
  @Test func `entering a race fails when the server no longer has racing's time zone`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    let race = try await course.race()
    try await course.session.run("UPDATE settled.setting SET value = 'Mars/Base' WHERE key = 'racing.time_zone'")
    try await expectRefusal(sqlState: "SD400", rule: "time-zone") { try await course.enter(athlete, race) }
    try await expectRefusal(sqlState: "SD400", rule: "time-zone") { try await course.athlete("B") }
    #expect(try await course.balance(athlete) == 10_000)
    _ = try await course.athlete("C", born: nil)
  }
}
