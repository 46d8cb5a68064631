import Foundation
import FoundationNetworking

extension TeamApp {
  /// The methods of the guide of seasonal rewards as they stand there, above the four requests that the guide presumes.
  struct DataService {
    let baseUrl: String
    let token: String?

    // MARK: - Seasonal Rewards API

    /// Get team progress for a season/year
    func getTeamSeasonalProgress(season: String, year: String) async -> Result<SeasonalProgressResponse, any Error> {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/progress?season=\(season)&year=\(year)"
      return await performGETRequest(url: endpoint)
    }

    /// Get seasonal rewards configuration
    func getSeasonalRewardsConfig(season: String, year: String) async -> Result<[SeasonalRewardDTO], any Error> {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/rewards?season=\(season)&year=\(year)"
      return await performGETRequest(url: endpoint)
    }

    /// Create a new seasonal reward (coach only)
    func createSeasonalReward(request: CreateSeasonalRewardRequest) async -> Result<SeasonalRewardDTO, any Error> {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/rewards"
      return await performPOSTRequest(url: endpoint, body: request)
    }

    /// Update an existing reward (coach only)
    func updateSeasonalReward(id: Int64, request: UpdateSeasonalRewardRequest) async -> Result<
      SeasonalRewardDTO, any Error
    > {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/rewards/\(id)"
      return await performPUTRequest(url: endpoint, body: request)
    }

    /// Delete a reward (coach only)
    func deleteSeasonalReward(id: Int64) async -> Result<Void, any Error> {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/rewards/\(id)"
      return await performDELETERequest(url: endpoint)
    }

    /// Get individual runner's seasonal points
    func getRunnerSeasonalPoints(
      runnerId: Int, season: String, year: String
    ) async -> Result<RunnerSeasonalPointsResponse, any Error> {
      let endpoint = "\(baseUrl)/api/v1/points/seasonal/\(runnerId)?season=\(season)&year=\(year)"
      return await performGETRequest(url: endpoint)
    }

    // MARK: - What the guide presumes

    private func performGETRequest<Answer: Decodable>(url: String) async -> Result<Answer, any Error> {
      Self.decode(await perform("GET", url, body: nil))
    }

    private func performPOSTRequest<Answer: Decodable>(url: String, body: some Encodable) async -> Result<
      Answer, any Error
    > {
      Self.decode(await perform("POST", url, body: try? JSONEncoder().encode(body)))
    }

    private func performPUTRequest<Answer: Decodable>(url: String, body: some Encodable) async -> Result<
      Answer, any Error
    > {
      Self.decode(await perform("PUT", url, body: try? JSONEncoder().encode(body)))
    }

    private func performDELETERequest(url: String) async -> Result<Void, any Error> {
      await perform("DELETE", url, body: nil).map { _ in }
    }

    private func perform(_ method: String, _ url: String, body: Data?) async -> Result<Data, any Error> {
      var request = AppRequest.to(url, token)
      request.httpMethod = method
      request.httpBody = body
      if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
      return await AppRequest.run(request)
    }

    /// Dates have milliseconds, as the guide's examples show.
    private static func decode<Answer: Decodable>(_ data: Result<Data, any Error>) -> Result<Answer, any Error> {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .custom { decoder in
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let date = formatter.date(from: text) else { throw AppRequest.Failure(status: 0, body: text) }
        return date
      }
      return Result { try decoder.decode(Answer.self, from: data.get()) }
    }
  }
}
