import Postgres
import TestSupport
import Testing

@Suite("Refused check-ins") struct RefusalTests {
  private static func metrics(_ key: String, _ value: String?) -> String {
    let pattern = try? Regex("\"\(key)\": [^,}]+,?")
    let rest = pattern.map { Habit.good.replacing($0, with: "") } ?? ""
    guard let value else { return rest.replacing(/,\s*}/, with: "}") }
    return rest.replacing(/,?\s*}/, with: ", \"\(key)\": \(value)}")
  }

  /// Key, rule, least, greatest, whether only whole numbers are.
  private static let numbers: [(String, String, Int, Int, Bool)] = [
    ("sleepHours", "sleep-hours", 0, 24, false), ("steps", "steps", 0, 200_000, true),
    ("vigorousMinutes", "vigorous-minutes", 0, 1440, true),
    ("processedFoodScore", "processed-food-score", 0, 10, false), ("alcoholUnits", "alcohol-units", 0, 100, false),
    ("stressLevel", "stress-level", 0, 10, false), ("bedtimeHour", "bedtime-hour", 0, 30, false),
  ]

  private func tried(_ habit: Habit, _ user: String, _ metrics: String) async throws -> String {
    try await outcome {
      _ = try await habit.session.transaction(commit: false) {
        try await $0.query("SELECT checkins.submit(\(user), \(JSON(text: metrics)))")
      }
    }
  }

  @Test func `a check-in refuses each number that is missing, mistyped or out of range, by its key`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    #expect(try await tried(habit, "ann", Habit.good) == "ok")
    for (key, rule, low, high, isWhole) in Self.numbers {
      for bad in [
        nil, "null", "true", "\"8\"", "[]", "{}", "\(low - 1)", "-0.001", "\(high).001", "\(high + 1)", "1e400",
      ] {
        #expect(try await tried(habit, "ann", Self.metrics(key, bad)) == "SD400 \(rule)", "\(key): \(bad ?? "absent")")
      }
      for good in ["\(low)", "\(high)", "\(low).0", "-0"] {
        #expect(try await tried(habit, "ann", Self.metrics(key, good)) == "ok", "\(key): \(good)")
      }
      let half = try await tried(habit, "ann", Self.metrics(key, "1.5"))
      #expect(half == (isWhole ? "SD400 \(rule)" : "ok"), "\(key)")
    }
  }

  @Test func `a check-in refuses each habit that is missing or not boolean, and each unknown key`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    for (key, rule) in [("lateCaffeine", "late-caffeine"), ("screenLate", "screen-late")] {
      for bad in [nil, "null", "0", "1", "\"true\"", "[]"] {
        #expect(try await tried(habit, "ann", Self.metrics(key, bad)) == "SD400 \(rule)", "\(key): \(bad ?? "absent")")
      }
    }
    #expect(try await tried(habit, "ann", Self.metrics("mood", "5")) == "SD400 key")
    #expect(try await tried(habit, "ann", "[]") == "SD400 metrics")
    #expect(try await tried(habit, "ann", Self.metrics("date", "\"1999-01-01\"")) == "ok")
  }

  @Test func `check-ins refuse unknown time zone names and accept known ones, old ones too`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    for bad in [
      "Mars/Base", "GMT+3", "EST5EDT4", "CET", "Etc/GMT+3", "posix/Europe/London", ":Europe/London", "right/UTC", "",
      "+03:00",
      "europe/london", "Europe/London ", "EST", "Local",
    ] {
      let ended = try await outcome { try await habit.onboard("ann", bad) }
      #expect(ended == "SD400 time-zone", "\(bad)")
      #expect(try await outcome { try await habit.move("ann", to: bad) } == "SD400 time-zone", "\(bad)")
    }
    #expect(
      try await outcome { _ = try await habit.session.query("SELECT checkins.profile('ann')") } == "SD404 profile")
    for good in ["Europe/Istanbul", "America/Argentina/Buenos_Aires", "UTC", "GMT", "Asia/Calcutta", "Etc/UTC"] {
      try await habit.onboard("of \(good)", good)
      let shown = try await habit.session.query("SELECT checkins.profile(\("of \(good)"))->>'timezone'").one(
        String.self)
      #expect(shown == good)
    }
  }

  @Test func `a person in a zone that the server no longer has cannot check in, but can leave the zone`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", "Europe/Paris")
    try await habit.submit("ann")
    try await habit.forget("Europe/Paris", of: "bob")
    for user in ["ann", "bob"] {
      #expect(try await outcome { _ = try await habit.submit(user) } == "SD400 time-zone")
      #expect(try await outcome { _ = try await habit.summary(user) } == "SD400 time-zone")
      #expect(try await outcome { try await habit.move(user, to: "Europe/London") } == "ok")
    }
    #expect(try await outcome { try await habit.onboard("cid", "Mars/Base") } == "SD400 time-zone")
    #expect(try await habit.streak("ann") == "1 1 2031-03-28")
    try await habit.clock("2031-03-29T08:00:00Z")
    #expect(try await habit.submit("ann") == "2031-03-29")
    #expect(try await habit.streak("ann") == "2 2 2031-03-29")
  }

  @Test func `check-ins of unknown or not onboarded people and second check-ins are refused`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    #expect(try await outcome { _ = try await habit.submit("nobody") } == "SD404 profile")
    #expect(try await outcome { _ = try await habit.summary("nobody") } == "SD404 profile")
    try await habit.move("ann", to: "Asia/Tokyo")
    #expect(try await outcome { _ = try await habit.submit("ann") } == "SD404 onboarding")
    #expect(try await habit.streak("ann") == "0 0")
    try await habit.onboard("ann", nil)
    let profile = try await habit.session.query("SELECT checkins.profile('ann')::text").one(String.self)
    #expect(profile == #"{"userId": "ann", "timezone": "Asia/Tokyo", "hasCompletedOnboarding": true}"#)
    #expect(try await habit.submit("ann") == "2031-03-28")
    #expect(try await outcome { _ = try await habit.submit("ann") } == "SD409 already-checked-in")
  }

  @Test func `a refused check-in leaves no entry, no streak and no count`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", nil)
    try await habit.submit("ann")
    _ = try await outcome { _ = try await habit.submit("ann") }
    let kept = try await habit.session.query(
      """
      SELECT concat_ws(' ', (SELECT count(*) FROM checkins.entry), (SELECT sum(length) FROM checkins.streak),
        (SELECT sum(checked_in) FROM checkins.tally))
      """
    ).one(String.self)
    #expect(kept == "1 1 1")
  }
}
