import ControlAPI
import Postgres

/// The routes of the daily check-in. Source: Gateway.docc/Systems.md, "Check-ins".
enum CheckIn {
  static let routes: [Route] = [
    Route(
      .get, "auth/me", of: .checkin, access: .identity(.checkin), answer: profile,
      summary: "The caller's profile, created if it does not exist.",
      action: .call { call in "gateway.checkin_me(\(call.caller?.checkin))" }),
    Route(
      .post, "auth/me", of: .checkin, access: .identity(.checkin), repetition: .plain, answer: profile,
      summary: "The caller's profile, created if it does not exist.",
      action: .call { call in "gateway.checkin_me(\(call.caller?.checkin))" }),
    Route(
      .patch, "auth/profile", of: .checkin, access: .identity(.checkin),
      body: .object([:], optional: ["timezone": .nullable(.timeZone)]), answer: profile,
      summary: "Changes the caller's time zone; other keys are ignored.",
      action: .call { call in "gateway.checkin_update_profile(\(call.caller?.checkin), \(fragment: call.json))" }),
    Route(
      .post, "onboarding/submit", of: .checkin, access: .identity(.checkin),
      body: .object(
        [:],
        optional: [
          "timezone": .nullable(.timeZone),
          "chronologicalAgeYears": .nullable(.number.range("0", "150").meaning("years").example(json: "41.5")),
        ]),
      answer: onboarded, summary: "Completes the caller's onboarding, which check-ins require.",
      action: .call { call in "gateway.checkin_onboard(\(call.caller?.checkin), \(fragment: call.json))" }),
    Route(
      .get, "stats/summary", of: .checkin, access: .identity(.checkin),
      refuses: [404: ["profile"]],
      answer: summary,
      summary: "The caller's current day, streak, biological age and history.",
      action: .call { call in "gateway.checkin_summary(\(call.caller?.checkin))" }),
    Route(
      .post, "age/daily-update", of: .checkin, access: .identity(.checkin),
      // Either the metrics themselves, or an object that has them as metrics.
      body: .anyOf([.object(["metrics": metrics], optional: ["date": .nullable(.text)]).closed, metrics]),
      refuses: [404: ["onboarding", "profile"], 409: ["already-checked-in"]],
      answer: .object(["today": today, "streak": streak], optional: ["state": state]),
      summary: "Checks the caller in, at most once a day.",
      action: .call { call in "gateway.checkin_submit(\(call.caller?.checkin), \(fragment: call.json))" }),
  ]

  /// As the description names them.
  static let named: [(name: String, schema: AnswerSchema)] = [
    ("Profile", profile), ("Onboarded", onboarded),
    ("Summary", summary), ("AgeState", state), ("Metrics", metrics),
  ]

  private static let profileMembers: KeyValuePairs<String, AnswerSchema> = [
    "uid": .text, "hasCompletedOnboarding": .boolean, "profile": .object(["timezone": .nullable(.text)]),
  ]

  private static let profile = AnswerSchema.object(profileMembers, optional: ["email": .text])

  /// The ages stand there once one is given.
  private static let onboarded = AnswerSchema.object(
    profileMembers,
    optional: [
      "email": .text, "userId": .text, "chronologicalAgeYears": .number, "baselineBiologicalAgeYears": .number,
      "currentBiologicalAgeYears": .number, "BAOYears": .number, "totalScore": .number,
    ])

  private static let day = AnswerSchema.object(["date": .text, "score": .number])

  private static let today = day.with("deltaYears", .number).with("reasons", .array(.text))

  private static let streak = AnswerSchema.object([
    "current": .integer, "longest": .integer, "lastDate": .nullable(.text),
  ])

  private static let state = AnswerSchema.object([
    "chronologicalAgeYears": .number, "baselineBiologicalAgeYears": .number, "currentBiologicalAgeYears": .number,
    "agingDebtYears": .number, "rejuvenationStreakDays": .integer, "accelerationStreakDays": .integer,
    "totalRejuvenationDays": .integer, "totalAccelerationDays": .integer,
  ])

  private static let age = AnswerSchema.object(
    ["date": .text, "deltaYears": .number, "score": .number], optional: ["biologicalAgeYears": .number])

  private static let summary = AnswerSchema.object(
    [
      "userId": .text, "hasCompletedOnboarding": .boolean, "streak": streak,
      "history": .object(["days14": .array(day), "days60": .array(day), "days365": .array(day)]),
      "weeklyHistory": .array(age), "monthlyHistory": .array(age), "yearlyHistory": .array(age),
    ],
    optional: ["today": today, "state": state])

  /// A date is taken and not looked at.
  private static let metrics = AnswerSchema.object(
    [
      "sleepHours": .number.range("0", "24").meaning("hours").example(json: "7.5"),
      "steps": .integer.range(0...200_000).example(json: "9000"),
      "vigorousMinutes": .integer.range(0...1440).meaning("minutes").example(json: "30"),
      "processedFoodScore": .number.range("0", "10").example(json: "2"),
      "alcoholUnits": .number.range("0", "100").meaning("units of alcohol").example(json: "0"),
      "stressLevel": .number.range("0", "10").example(json: "3"), "lateCaffeine": .boolean, "screenLate": .boolean,
      "bedtimeHour": .number.range("0", "30").meaning("hours since midnight; 24 or more means the next day")
        .example(json: "22.5"),
    ], optional: ["date": .nullable(.text)]
  ).closed
}
