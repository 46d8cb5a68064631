import Foundation
import FoundationNetworking

/// The models and the client of the guide of achievements. What the guide leaves out follows its examples.
enum GReadApp {
  struct Achievement: Codable {
    let id: Int
    let slug: String
    let name: String
    let description: String
    let icon: AchievementIcon
    let unlockRequirements: UnlockRequirements?
    let progress: Progress?
    let steps: [AchievementStep]
    let isMultistep: Bool
    let isUnlocked: Bool
    let dateUnlocked: String?
    let reward: Int?
    let isHidden: Bool
    let category: String?
    let displayOrder: Int
  }

  struct AchievementIcon: Codable {
    let type: String
    let color: String
    let symbol: String
    let svgUrl: String?
  }

  struct UnlockRequirements: Codable {
    let metric: String
    let value: Int
  }

  struct Progress: Codable {
    let current: Int
    let required: Int
    let percentage: Double
  }

  struct AchievementStep: Codable {
    let stepOrder: Int
    let name: String
    let isCompleted: Bool
  }

  struct UserAchievements: Codable {
    let userId: Int
    let total: Int
    let unlockedCount: Int
    let achievements: [Achievement]
    let newlyUnlocked: [Achievement]?
  }

  enum AchievementCategory: String, CaseIterable {
    case authors = "authors"
    case booksAndSeries = "books_and_series"
    case categories = "categories"
    case contributions = "contributions"
    case career = "career"
  }

  struct Client {
    let baseURL: String
    let token: String

    func getAchievements(category: String? = nil) async throws -> [Achievement] {
      var url = "\(baseURL)/me/achievements"
      if let category = category {
        url += "?category=\(category)"
      }
      return try await decoded("GET", url, as: UserAchievements.self).achievements
    }

    /// A line of the guide with curl, as a request.
    func curl<Answer: Decodable>(_ path: String, _ method: String = "GET", as type: Answer.Type) async throws -> Answer
    {
      try await decoded(method, "\(baseURL)\(path)", as: type)
    }

    private func decoded<Answer: Decodable>(_ method: String, _ url: String, as type: Answer.Type) async throws
      -> Answer
    {
      var request = AppRequest.to(url, token)
      request.httpMethod = method
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return try decoder.decode(type, from: await AppRequest.run(request).get())
    }
  }
}
