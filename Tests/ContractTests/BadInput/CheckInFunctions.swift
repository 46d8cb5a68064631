extension ContractFunctions {
  /// In the world of the calls `ann` is onboarded and has not checked in, `bob` is not onboarded, `cat` has checked in.
  static let people = """
    SELECT checkins.onboard('ann', 'Europe/London'), checkins.update_profile('bob', '{}'),
      checkins.onboard('cat', 'Asia/Tokyo'), checkins.submit('cat', '\(metrics)');
    """

  private static let metrics = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0, \
    "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  private static let user = Argument.other(
    "user_id", good: "'ann'",
    ["null", "''", "repeat('x', 10001)", "repeat('x', 1000001)"].map { ($0, "SD400 user-id") }
      + ["'nobody'", "'Ann'", "' '", #"E'\x01'"#, "repeat('é', 10000)"].map { ($0, "SD404 profile") })

  private static let zones = [
    ("'Europe/Istanbul'", "ok"), ("'UTC'", "ok"), ("null", "ok"), ("''", "SD400 time-zone"),
    ("'Mars/Base'", "SD400 time-zone"), ("'GMT+3'", "SD400 time-zone"), ("'EST5EDT4'", "SD400 time-zone"),
    ("'CET'", "SD400 time-zone"), ("repeat('x', 1000001)", "SD400 time-zone"),
  ]

  private static let ages =
    ["null", "0", "150", "34.899999999999998579"].map { ($0, "ok") }
    + ["-0.1", "150.1", "'NaN'", "'Infinity'", "'-Infinity'", "1e-21", "1e400"].map {
      ($0, "SD400 chronological-age-years")
    }

  static let checkIns: [Function] = [
    (
      "checkins.onboard",
      [
        .text("user_id", good: "'ann'"), .other("time_zone", good: "'Europe/Paris'", zones),
        .other("chronological_age_years", good: "34.5", ages),
      ]
    ),
    ("checkins.age", [user]),
    (
      "checkins.update_profile",
      [
        .text("user_id", good: "'ann'"),
        .object("profile", good: "'{}'").also(
          (#"'{"timezone": "Europe/Istanbul"}'"#, "ok"), (#"'{"timezone": null}'"#, "ok"),
          (#"'{"timezone": ""}'"#, "SD400 time-zone"), (#"'{"timezone": 3}'"#, "SD400 time-zone"),
          (#"'{"timezone": {}}'"#, "SD400 time-zone"), (#"'{"timezone": "GMT+3"}'"#, "SD400 time-zone"),
          (#"'{"timezone": "Europe/London", "userId": "x"}'"#, "SD400 key")),
      ]
    ),
    ("checkins.profile", [user]),
    ("checkins.summary", [user]),
    (
      "checkins.submit",
      [
        user.also(("'bob'", "SD404 onboarding"), ("'cat'", "SD409 already-checked-in")),
        .object("metrics", good: "'\(metrics)'").also(
          ("'{}'", "SD400 sleep-hours"), ("'\(metrics)' || '{\"steps\": 1e400}'::jsonb", "SD400 steps"),
          ("'\(metrics)' || '{\"stressLevel\": \"3\"}'::jsonb", "SD400 stress-level"),
          ("'\(metrics)' || '{\"lateCaffeine\": null}'::jsonb", "SD400 late-caffeine"),
          ("'\(metrics)' || '{\"sleepHours\": 7.123456789123456789}'::jsonb", "ok"),
          ("'\(metrics)' || '{\"date\": {\"any\": 1}}'::jsonb", "ok")),
      ]
    ),
  ]
}
