import Foundation
import FoundationNetworking

/// The models and the flow of the check-in app's document; its code is a sketch over an API client.
enum CheckInApp {
  struct Me: Codable {
    struct Profile: Codable {
      let timezone: String?
    }

    let uid: String
    let email: String?
    let hasCompletedOnboarding: Bool
    let profile: Profile
  }

  struct Day: Codable, Equatable {
    let date: String
    let score: Double
  }

  struct Summary: Codable {
    let today: Day?
  }

  struct Ages: Codable {
    let userId: String
    let chronologicalAgeYears, baselineBiologicalAgeYears, currentBiologicalAgeYears, baoYears, totalScore: Double

    enum CodingKeys: String, CodingKey {
      case userId, chronologicalAgeYears, baselineBiologicalAgeYears, currentBiologicalAgeYears, totalScore
      case baoYears = "BAOYears"
    }
  }

  struct State: Codable {
    let chronologicalAgeYears, baselineBiologicalAgeYears, currentBiologicalAgeYears, agingDebtYears: Double
    let rejuvenationStreakDays, accelerationStreakDays, totalRejuvenationDays, totalAccelerationDays: Int
  }

  struct Point: Codable {
    let date: String
    let biologicalAgeYears, deltaYears, score: Double
  }

  struct Today: Codable {
    let date: String
    let score, deltaYears: Double
    let reasons: [String]
  }

  struct Statistics: Codable {
    let userId: String
    let state: State
    let today: Today?
    let weeklyHistory, monthlyHistory, yearlyHistory: [Point]
  }

  struct Update: Codable {
    let state: State
    let today: Today
  }

  struct DailyMetrics: Codable {
    var sleepHours = 8.0
    var steps = 12000
    var vigorousMinutes = 40
    var processedFoodScore = 1.0
    var alcoholUnits = 0.0
    var stressLevel = 2.0
    var lateCaffeine = false
    var screenLate = false
    var bedtimeHour = 22.0
  }

  enum APIError: Error, Equatable {
    case statusCode(Int)
  }

  struct Client {
    let host: String
    let token: String

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
      try await send("GET", path, nil, as: type)
    }

    @discardableResult
    func patch(_ path: String, body: some Encodable) async throws -> Me {
      try await send("PATCH", path, try JSONEncoder().encode(body), as: Me.self)
    }

    func post<Answer: Decodable>(_ path: String, body: some Encodable, as type: Answer.Type) async throws -> Answer {
      try await send("POST", path, try JSONEncoder().encode(body), as: type)
    }

    private func send<Answer: Decodable>(
      _ method: String, _ path: String, _ body: Data?, as type: Answer.Type
    ) async throws -> Answer {
      var request = AppRequest.to(host + path, token)
      request.httpMethod = method
      request.httpBody = body
      if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
      do {
        return try JSONDecoder().decode(type, from: await AppRequest.run(request).get())
      } catch let failure as AppRequest.Failure {
        throw APIError.statusCode(failure.status)
      }
    }
  }

  /// The values that the guide's view shows.
  final class Screen {
    let apiClient: Client
    private(set) var canCheckIn: Bool?
    private(set) var error: String?
    private(set) var isCompleted = false

    init(_ apiClient: Client) { self.apiClient = apiClient }

    func checkDailyStatus() async throws {
      let response = try await apiClient.get("/api/stats/summary", as: Summary.self)
      canCheckIn = response.today == nil
    }

    func submitCheckIn(metrics: DailyMetrics) async throws {
      do {
        _ = try await apiClient.post("/api/age/daily-update", body: metrics, as: Summary.self)
        isCompleted = true
      } catch APIError.statusCode(409) {
        error = "Daily check-in already completed"
        try await checkDailyStatus()
      }
    }
  }
}
