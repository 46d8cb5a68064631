import Foundation
import Postgres
import TestSupport
import Testing

/// The answers of the check-in app's document, in the shapes of Gateway.docc/Systems.md.
@Suite struct CheckInShapeTests {
  private static let metrics = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
     "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  private static func me(_ isOnboarded: Bool, _ zone: String?, email: String? = nil) throws -> DocumentJSON {
    try DocumentJSON(
      """
      {"uid": "firebase-1", "hasCompletedOnboarding": \(isOnboarded),
       \(email.map { "\"email\": \"\($0)\"," } ?? "")
       "profile": {"timezone": \(zone.map { "\"\($0)\"" } ?? "null")}}
      """)
  }

  @Test func `a check-in profile exists once it is asked for, and can change its zone`() async throws {
    let world = try await Wrappers(at: "2025-03-01T10:00:00Z")
    for _ in 0..<2 { #expect(try await world.answer("checkin_me('firebase-1')") == Self.me(false, nil)) }
    for (body, zone) in [
      (#"{"timezone": "Europe/Istanbul"}"#, "Europe/Istanbul"), ("{}", "Europe/Istanbul"),
      (#"{"timezone": null, "name": "Ann"}"#, "Europe/Istanbul"),
      (#"{"timezone": "America/New_York", "uid": "firebase-2"}"#, "America/New_York"),
    ] {
      let shown = try await world.answer("checkin_update_profile('firebase-1', \(JSON(text: body)))")
      #expect(shown == (try Self.me(false, zone)), "\(body)")
    }
    for body in [#"{"goal": "sleep"}"#, #"{"timezone": null}"#, "{}"] {
      let shown = try await world.answer("checkin_onboard('firebase-1', \(JSON(text: body)))")
      #expect(shown == (try Self.me(true, "America/New_York")))
    }
    #expect(try await world.answer("checkin_onboard('firebase-1')") == Self.me(true, "America/New_York"))
    #expect(try await world.answer("checkin_me('firebase-1')") == Self.me(true, "America/New_York"))
  }

  @Test func `changing the zone creates the check-in profile, and so does onboarding`() async throws {
    let world = try await Wrappers(at: "2025-03-01T10:00:00Z")
    let zone = JSON(text: #"{"timezone": "Europe/Istanbul"}"#)
    let changed = try await world.answer("checkin_update_profile('firebase-1', \(zone))")
    #expect(changed == (try Self.me(false, "Europe/Istanbul")))
    let onboarded = try await world.answer("checkin_onboard('firebase-2', \(zone))")
    #expect(try onboarded["hasCompletedOnboarding"] == .bool(true))
  }

  @Test func `an account's address appears only in the profile of its person`() async throws {
    let world = try await Wrappers(at: "2025-03-01T10:00:00Z")
    try await world.account(email: "ann@example.org", checkin: "firebase-1")
    #expect(try await world.answer("checkin_me('firebase-1')") == Self.me(false, nil, email: "ann@example.org"))
    #expect(try await world.answer("checkin_me('firebase-2')").count == 3)
  }

  @Test func `a check-in shows as today's, and the summary has none before`() async throws {
    let world = try await Wrappers(at: "2025-03-01T23:30:00Z")
    _ = try await world.answer("checkin_onboard('firebase-1', \(JSON(text: #"{"timezone": "Europe/Istanbul"}"#)))")
    #expect(
      try await world.answer("checkin_summary('firebase-1')")
        == DocumentJSON(
          """
          {"userId": "firebase-1", "hasCompletedOnboarding": true,
           "streak": {"current": 0, "longest": 0, "lastDate": null},
           "history": {"days14": [], "days60": [], "days365": []},
           "weeklyHistory": [], "monthlyHistory": [], "yearlyHistory": []}
          """))
    let streak = #"{"current": 1, "longest": 1, "lastDate": "2025-03-02"}"#
    let day = #"{"date": "2025-03-02", "score": 9}"#
    let today = #"{"date": "2025-03-02", "score": 9, "deltaYears": -0.27, "reasons": []}"#
    let age = #"{"date": "2025-03-02", "score": 9, "deltaYears": -0.27}"#
    #expect(
      try await world.answer("checkin_submit('firebase-1', \(JSON(text: Self.metrics)))")
        == DocumentJSON(#"{"today": \#(today), "streak": \#(streak)}"#))
    #expect(
      try await world.answer("checkin_summary('firebase-1')")
        == DocumentJSON(
          """
          {"userId": "firebase-1", "hasCompletedOnboarding": true, "today": \(today), "streak": \(streak),
           "history": {"days14": [\(day)], "days60": [\(day)], "days365": [\(day)]},
           "weeklyHistory": [\(age)], "monthlyHistory": [\(age)], "yearlyHistory": [\(age)]}
          """))
  }

  @Test func `a second check-in conflicts, and its error names the day`() async throws {
    let world = try await Wrappers(at: "2025-03-01T10:00:00Z")
    _ = try await world.answer("checkin_onboard('firebase-1')")
    let wrapped = JSON(text: #"{"metrics": \#(Self.metrics), "date": "2020-01-01"}"#)
    _ = try await world.answer("checkin_submit('firebase-1', \(wrapped))")
    let error = await #expect(throws: PostgresError.self) {
      try await world.gateway.query("SELECT gateway.checkin_submit('firebase-1', \(JSON(text: Self.metrics)))")
    }
    #expect(error?.sqlState == "SD409")
    #expect(
      try DocumentJSON(error?.detail ?? "")
        == DocumentJSON(#"{"rule": "already-checked-in", "dateKey": "2025-03-01"}"#))
    try await world.clock("2025-03-02T00:00:00Z")
    #expect(try await world.tried("checkin_submit('firebase-1', \(wrapped))") == "ok")
  }

  @Test func `malformed check-in requests are refused`() async throws {
    let world = try await Wrappers(at: "2025-03-01T10:00:00Z")
    let good = JSON(text: Self.metrics)
    #expect(try await world.tried("checkin_summary('firebase-1')") == "SD404 profile")
    #expect(try await world.tried("checkin_submit('firebase-1', \(good))") == "SD404 profile")
    _ = try await world.answer("checkin_me('firebase-1')")
    #expect(try await world.tried("checkin_submit('firebase-1', \(good))") == "SD404 onboarding")
    #expect(try await world.tried("checkin_summary('firebase-1')") == "ok")
    _ = try await world.answer("checkin_onboard('firebase-1')")
    for (call, expected) in [
      ("checkin_me(NULL)", "SD403 identity"), ("checkin_summary(NULL)", "SD403 identity"),
      ("checkin_update_profile(NULL, '{}')", "SD403 identity"), ("checkin_onboard(NULL)", "SD403 identity"),
      ("checkin_submit(NULL, '{}')", "SD403 identity"), ("checkin_me('')", "SD400 user-id"),
      ("checkin_update_profile('firebase-1', NULL)", "SD400 body"),
      ("checkin_update_profile('firebase-1', '[]')", "SD400 body"),
      ("checkin_update_profile('firebase-1', '{\"timezone\": 3}')", "SD400 time-zone"),
      ("checkin_update_profile('firebase-1', '{\"timezone\": \"GMT+3\"}')", "SD400 time-zone"),
      ("checkin_onboard('firebase-1', NULL)", "ok"), ("checkin_onboard('firebase-1', '[]')", "SD400 body"),
      ("checkin_onboard('firebase-1', '{\"timezone\": 3}')", "SD400 time-zone"),
      ("checkin_onboard('firebase-1', '{\"timezone\": \"Mars/Base\"}')", "SD400 time-zone"),
      ("checkin_onboard('firebase-1', '{\"chronologicalAgeYears\": \"34\"}')", "SD400 chronological-age-years"),
      ("checkin_onboard('firebase-1', '{\"chronologicalAgeYears\": 151}')", "SD400 chronological-age-years"),
      ("checkin_submit('firebase-1', NULL)", "SD400 body"), ("checkin_submit('firebase-1', '5')", "SD400 body"),
      ("checkin_submit('firebase-1', '{}')", "SD400 sleep-hours"),
      ("checkin_submit('firebase-1', '{\"metrics\": null}')", "SD400 metrics"),
      ("checkin_submit('firebase-1', '{\"metrics\": {}}')", "SD400 sleep-hours"),
      ("checkin_submit('firebase-1', '{\"metrics\": {}, \"steps\": 1}')", "SD400 key"),
      ("checkin_submit('firebase-1', '{\"mood\": 1}')", "SD400 key"),
    ] {
      #expect(try await world.tried("\(raw: call)") == expected, "\(call)")
    }
  }
}
