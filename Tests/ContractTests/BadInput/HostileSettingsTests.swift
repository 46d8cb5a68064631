import Postgres
import TestSupport
import Testing

/// A caller's own settings, such as those that ALTER DATABASE or an app's driver made.
@Suite("Settings of a caller") struct HostileSettingsTests {
  private static let hostile = [
    "standard_conforming_strings": "off", "escape_string_warning": "off", "backslash_quote": "on",
    "extra_float_digits": "-15", "datestyle": "German, DMY", "intervalstyle": "sql_standard",
    "timezone": "Asia/Kolkata", "bytea_output": "escape", "transform_null_equals": "on", "array_nulls": "off",
    "quote_all_identifiers": "on", "search_path": "public",
  ]

  private static func app(_ course: Course, hostile: Bool) async throws -> Connection {
    var options = course.database.options(.app)
    if hostile { options.settings = Self.hostile }
    return try await Connection.connect(options)
  }

  /// The arguments are written in ways that mean the same under all settings: without a backslash.
  @Test func `a caller's settings change neither a refusal nor an answer of any contract function`() async throws {
    let course = try await ContractWorld.make()
    let (plain, hostile) = (try await Self.app(course, hostile: false), try await Self.app(course, hostile: true))
    let readers = try await course.session.value(
      """
      SELECT array_agg(n.nspname || '.' || p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.oid IN \(Catalogue.schemas) AND p.provolatile = 's' AND p.prosecdef AND p.prorettype = 'jsonb'::regtype
      """, as: [String].self)
    var (calls, answered) = (0, Set<String>())
    for (name, arguments) in ContractFunctions.all where !ContractWorld.owners.contains(name) {
      let good = arguments.map(\.good)
      var cases = [good]
      for (place, argument) in arguments.enumerated() {
        for value in argument.values where !value.sql.contains(#"\"#) {
          var values = good
          values[place] = value.sql
          cases.append(values)
        }
      }
      for values in cases {
        let call = ContractWorld.call(name, arguments, values)
        let expected = try await plain.tried(call)
        #expect(try await hostile.tried(call) == expected, "\(call.prefix(300))")
        calls += 1
        guard expected == "ok", readers.contains(name) else { continue }
        let shown = "(\(call.dropFirst("SELECT ".count)))::text"
        #expect(
          try await hostile.value("SELECT \(shown)", as: String?.self)
            == plain.value("SELECT \(shown)", as: String?.self), "\(call.prefix(300))")
        answered.insert(name)
      }
    }
    let expected = Set(ContractFunctions.all.map(\.name)).subtracting(ContractWorld.owners).intersection(readers)
    #expect(calls > 300 && expected.count > 10 && answered == expected)
  }

  @Test func `a caller's settings change nothing in the rows that are written`() async throws {
    let course = try await ContractWorld.make()
    var written: [String] = []
    for isHostile in [false, true] {
      let app = try await Self.app(course, hostile: isHostile)
      let athlete = try await app.value("SELECT racing.create_athlete('Ann', '2003-05-06', 'female')")
      try await app.run("SELECT racing.connect_strava(\(athlete), 'code', 'read,activity:read_all')")
      let activity = """
        {"stravaId": \(athlete), "name": "Paddle", "activityType": "Kayaking", "startDate": "2031-03-02T10:00:00,1234567Z",
         "elapsedTime": 1800.5, "movingTime": 1800, "distance": 6000.123456789, "maxSpeed": 4.5, "polyline": null,
         "startLocation": {"latitude": 51.469, "longitude": -0.123456789}, "endLocation": null,
         "streams": {"time": [0, 1.5, 3], "distance": [0, 4.25, 9]}}
        """
      let id = try await app.value("SELECT racing.import_activity(\(athlete), '\(activity)')")
      try await app.run("SELECT checkins.onboard('person \(athlete)', 'America/New_York')")
      written.append(
        try await course.session.value(
          """
          SELECT concat_ws(' ', a.date_of_birth, c.missing_scopes, encode(x.content_hash, 'hex'), x.started_at,
            x.start_latitude, x.start_longitude, x.distance, s.times, s.distances, p.time_zone, p.zone_since)
          FROM racing.athlete a, strava.connection c, racing.activity x, racing.activity_stream s, checkins.profile p
          WHERE a.id = \(athlete) AND c.athlete_id = a.id AND x.id = \(id) AND s.activity_id = x.id
            AND p.user_id = 'person \(athlete)'
          """, as: String.self))
    }
    #expect(written[0] == written[1])
    #expect(written[0].contains("51.469") && written[0].contains("{profile:read_all}"))
  }
}
