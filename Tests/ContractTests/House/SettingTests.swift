import Postgres
import TestSupport
import Testing

@Suite("A setting") struct SettingTests {
  /// For each kind: what is taken, as it is stored, and what is refused.
  static let values: [(key: String, taken: [String: String], refused: [String])] = [
    (
      "racing.time_zone",
      ["Europe/London": "Europe/London", "UTC": "UTC", "GMT": "GMT", "Asia/Calcutta": "Asia/Calcutta", " UTC ": "UTC"],
      [
        "Mars/Base", "GMT+3", "CET", "EST5EDT4", "posix/Europe/London", ":Europe/London", "Etc/GMT+3", "",
        "europe/london", "0",
        "right/UTC",
      ]
    ),
    ("racing.results_grace", spans, badSpans),
    ("racing.entry_cutoff", spans, badSpans),
    ("racing.review_hold", spans, badSpans),
    ("racing.min_1km", spans, badSpans),
    ("racing.min_5km", spans, badSpans),
    ("racing.max_speed_mm_per_s", ["1": "1", "100000000": "100000000"], ["0", "-1", "1.5", "", "x", "100000001"]),
    ("racing.max_distance_m", ["1": "1", "100000000": "100000000"], ["0", "-1", "1.5", "", "x", "100000001"]),
    ("racing.show_activities", ["off": "off", " on": "on"], ["", "OFF", "false", "0", "no"]),
    ("racing.show_access_token", ["on": "on", " off": "off"], ["", "ON", "true", "1"]),
    ("racing.prize_rest", spans, badSpans),
    ("racing.provider_hold", spans, badSpans),
    (
      "racing.review_window", ["0": "0", "30 days": "30 days", "3650d": "3650d"], ["3651d", "-1 second", "", "30", "x"]
    ),
    (
      "racing.flag_threshold", ["1": "1", "100": "100", "03": "3"],
      ["0", "101", "2.5", "x", "", "-1", "1e1", String(repeating: "9", count: 30)]
    ),
    ("racing.proof", ["on": "on", " off": "off"], ["", "ON", "true", "1"]),
    ("racing.imports_a_day", ["1": "1", "1000000": "1000000"], ["0", "1000001", "1.5", "-1", ""]),
    ("racing.codes_a_day", ["1": "1", "1000000": "1000000"], ["0", "1000001", "1.5", "-1", ""]),
    (
      "racing.import_bytes_a_day", ["1000000": "1000000", "1000000000000": "1000000000000"],
      ["999999", "1000000000001", "1 MB", "-1", ""]
    ),
    ("seasons.own_earnings_a_day", ["0": "0", "100000": "100000"], ["100001", "-1", "1.5", ""]),
    (
      "racing.review_reminders", ["24h,48h": "24h,48h", "0,1 day": "0,1 day", "1h": "1h", "1h,2h,3h": "1h,2h,3h"],
      ["48h,24h", "24h,24h", "24h,", "", ",", "1h,2h,31d", "-1h,1h", "x"]
    ),
    (
      "racing.platform_fee_percent", ["0": "0", "50.00": "50", "1.25": "1.25", "1.50": "1.5"],
      ["50.01", "1.234", "NaN", "-1", "1e1", "", "1,5", "+1", "infinity", "1%"]
    ),
    (
      "racing.prize_shares", ["70,25,5": "70,25,5", "75, 20, 5": "75,20,5", "97,2,1": "97,2,1"],
      [
        "50,50,0", "100,0,0", "75,20", "75,20,5,0", "5,20,75", "40,40,20", "74.5,20.5,5", "75,20,4", "98,1,1", "",
        "-75,20,155", "075,0020,5", "{75,20,5}",
      ]
    ),
    (
      "settled.event_retention", ["1 day": "1 day", "90d": "90d", "3650 days": "3650 days"],
      ["1 second", "3651 days", "0", ""]
    ),
    ("seasons.view_retention", ["7 days": "7 days", "3650d": "3650d"], ["6 days", "3651 days", "forever", ""]),
    ("seasons.time_zone", ["America/Chicago": "America/Chicago"], ["", "EST5EDT4", "Mars/Base"]),
    (
      "checkins.entry_retention", ["forever": "forever", " forever ": "forever", "400 days": "400 days"],
      ["399 days", "0", "", "never", "101 years"]
    ),
    ("strava.limit_15min", ["1": "1", "600": "600"], ["0", "-1", "1.5", "", "x", "1000000001"]),
    ("strava.limit_day", ["1": "1", "30000": "30000"], ["0", "-1", "1.5", "", "x", "1000000001"]),
    ("strava.read_limit_15min", ["1": "1", "300": "300"], ["0", "-1", "1.5", "", "x", "1000000001"]),
    ("strava.read_limit_day", ["1": "1", "3000": "3000"], ["0", "-1", "1.5", "", "x", "1000000001"]),
    (
      "strava.import", ["on": "on", " on ": "on", "off": "off"],
      ["", "ON", "true", "1", "yes", "of", "on,off", "o n"]
    ),
    ("racing.calendar", ["off": "off", " on": "on"], ["", "OFF", "false", "0", "no"]),
    ("settled.occurrence_retention", ["400 days": "400 days"], ["23h", "11 years", "x"]),
    (
      "achievements.report_retention", ["30 days": "30 days", "forever": "forever", "3650 days": "3650 days"],
      ["29 days", "", "3651 days"]
    ),
    (
      "accounts.public_url",
      [
        "https://race.example.org": "https://race.example.org",
        " http://10.0.0.7:8080/api ": "http://10.0.0.7:8080/api",
      ],
      [
        "", "x", "ftp://a", "https://", "https://a/", "https://a b", "https://a?b=c", "https://a#b", "https://u@a",
        "javascript:alert(1)", "https://" + String(repeating: "a", count: 200),
      ]
    ),
  ]

  static let spans = Dictionary(
    uniqueKeysWithValues: [
      "0", "500ms", "90m", "30d", "30 days", "1 month", "PT1H", "1 day -1 hour", "1.5 hours", "0.0", "1 02:03:04",
    ].map {
      ($0, $0)
    })

  static let badSpans = [
    "30 days 1 second", "-1 second", "infinity", "NaN", "", "99999999999999999999 years", "1e400 s", "1,2", "x",
    "2592001s", "5", "3600", "+1.5", "1 day 5", "1e3",
    String(repeating: "9", count: 9999), "1 fortnight",
  ]

  @Test func `a setting of each kind takes good values and refuses bad ones`() async throws {
    let course = try await Course()
    let session = course.session
    for (key, taken, refused) in Self.values {
      // Without a grace racing.proof stays off.
      if key == "racing.proof" { try await session.run("SELECT settled.set('racing.results_grace', '1 hour')") }
      for (value, stored) in taken {
        let ended = try await outcome { try await session.execute("SELECT settled.set(\(key), \(value))") }
        #expect(ended == "ok", "\(key) = \(value)")
        #expect(try await session.query("SELECT settled.setting(\(key))").one(String.self) == stored)
      }
      let before = try await session.query("SELECT settled.setting(\(key))").one(String.self)
      for value in refused {
        let ended = try await outcome { try await session.execute("SELECT settled.set(\(key), \(value))") }
        #expect(ended == "SD400 value", "\(key) = \(value)")
      }
      #expect(try await session.query("SELECT settled.setting(\(key))").one(String.self) == before)
    }
  }

  @Test func `results have a grace while racing.proof is on, because entrants are listed in it`() async throws {
    let session = try await Course().session
    func set(_ key: String, _ value: String) async throws -> String {
      try await outcome { try await session.execute("SELECT settled.set(\(key), \(value))") }
    }
    #expect(try await set("racing.results_grace", "0") == "ok")
    #expect(try await set("racing.proof", "on") == "SD400 value")
    #expect(try await set("racing.results_grace", "1s") == "ok")
    #expect(try await set("racing.proof", "on") == "ok")
    for none in ["0", "0s", "1 day -24 hours"] {
      #expect(try await set("racing.results_grace", none) == "SD400 value", "\(none)")
    }
    #expect(try await set("racing.proof", "off") == "ok")
    #expect(try await set("racing.results_grace", "0s") == "ok")
  }

  @Test func `every setting has cases here, and accepts its own default`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let keys = try await session.value("SELECT array_agg(key) FROM settled.setting", as: [String].self)
    #expect(Set(keys) == Set(Self.values.map(\.key)))
    try await session.run("SELECT settled.set(key, default_value) FROM settled.setting")
    let changed = "SELECT count(*) FROM settled.setting WHERE value <> default_value"
    #expect(try await session.value(changed) == 0)
  }

  @Test func `every setting has the default of the contract`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    try await session.expect(
      "(SELECT jsonb_object_agg(key, settled.setting(key)) FROM settled.setting)",
      is: """
        {"racing.time_zone": "Europe/London", "racing.calendar": "on", "racing.results_grace": "1 hour",
         "racing.entry_cutoff": "3 hours",
         "racing.review_hold": "72 hours", "racing.review_window": "30 days",
         "racing.prize_rest": "72 hours", "racing.provider_hold": "2 hours",
         "racing.flag_threshold": "3", "racing.review_reminders": "24 hours,48 hours",
         "racing.platform_fee_percent": "1", "racing.prize_shares": "75,20,5",
         "racing.max_speed_mm_per_s": "12000", "racing.max_distance_m": "300000", "racing.min_1km": "150 seconds",
         "racing.min_5km": "900 seconds", "racing.show_activities": "on",
         "racing.show_access_token": "off",
         "settled.occurrence_retention": "400 days", "settled.event_retention": "90 days",
         "checkins.entry_retention": "forever", "seasons.time_zone": "America/New_York",
         "strava.limit_15min": "200", "strava.limit_day": "2000", "strava.import": "off",
         "strava.read_limit_15min": "100", "strava.read_limit_day": "1000",
         "racing.proof": "off", "racing.imports_a_day": "50", "racing.codes_a_day": "10", "racing.import_bytes_a_day": "100000000",
         "seasons.own_earnings_a_day": "5",
         "seasons.view_retention": "90 days", "achievements.report_retention": "30 days",
         "accounts.public_url": "http://127.0.0.1:8080"}
        """)
  }
}
