import TestSupport
import Testing

/// The ages that the check-in app shows, read with its own types.
@Suite("The check-in app", .timeLimit(.minutes(2))) struct CheckInAppTests {
  private struct Answers: Encodable {
    let chronologicalAgeYears: Double
    let smokes = false
    let timezone = "Europe/Istanbul"
  }

  @Test func `the check-in app reads its onboarding, a check-in and the summary`() async throws {
    try await SystemWorld.run(at: "2031-06-02T08:00:00Z") { world in
      let client = CheckInApp.Client(host: world.base, token: try await world.token(checkin: "firebase-1"))
      let ages = try await client.post(
        "/api/onboarding/submit", body: Answers(chronologicalAgeYears: 34.5), as: CheckInApp.Ages.self)
      #expect(ages.userId == "firebase-1" && ages.chronologicalAgeYears == 34.5 && ages.baoYears == 0)
      #expect(ages.currentBiologicalAgeYears == 34.5 && ages.totalScore == 0)
      let before = try await client.get("/api/stats/summary", as: CheckInApp.Statistics.self)
      #expect(before.today == nil && before.state.agingDebtYears == 0 && before.yearlyHistory.isEmpty)
      let update = try await client.post(
        "/api/age/daily-update", body: CheckInApp.DailyMetrics(), as: CheckInApp.Update.self)
      #expect(update.today.deltaYears == -0.27 && update.today.reasons.isEmpty)
      #expect(update.state.currentBiologicalAgeYears == 34.23 && update.state.rejuvenationStreakDays == 1)
      let after = try await client.get("/api/stats/summary", as: CheckInApp.Statistics.self)
      #expect(after.today?.score == 9 && after.state.totalRejuvenationDays == 1 && after.userId == "firebase-1")
      for history in [after.weeklyHistory, after.monthlyHistory, after.yearlyHistory] {
        #expect(history.map(\.date) == ["2031-06-02"] && history.map(\.biologicalAgeYears) == [34.23])
      }
      // Answers that are held against the description.
      for line in ["POST /api/onboarding/submit", "GET /api/stats/summary"] {
        #expect(try await world.call(line, token: client.token).status == 200)
      }
    }
  }
}
