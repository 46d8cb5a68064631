import Foundation
import FoundationNetworking

extension TeamApp {
  /// The service of the guide of team talks as it stands there, with another host and a token.
  struct TeamTalkService {
    let host: String
    let token: String

    private var baseURL: String { "\(host)/api/v1/team-talks" }

    func trackView(
      teamTalkUuid: String,
      username: String,
      displayName: String
    ) async throws {
      guard let url = URL(string: "\(baseURL)/views/track") else { throw TeamTalkError.trackViewFailed }

      let request = TrackTeamTalkViewRequest(
        teamTalkUuid: teamTalkUuid,
        username: username,
        displayName: displayName
      )

      var urlRequest = URLRequest(url: url)
      urlRequest.httpMethod = "POST"
      urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
      urlRequest.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      urlRequest.httpBody = try JSONEncoder().encode(request)

      let (_, response) = try await URLSession.shared.data(for: urlRequest)

      guard let httpResponse = response as? HTTPURLResponse,
        httpResponse.statusCode == 200
      else {
        throw TeamTalkError.trackViewFailed
      }
    }

    /// The guide names the endpoint alone.
    func teamTalk(_ uuid: String) async throws -> TeamTalkResponse {
      let data = try await AppRequest.run(AppRequest.to("\(baseURL)/\(uuid)", token)).get()
      return try JSONDecoder().decode(TeamTalkResponse.self, from: data)
    }
  }

  enum TeamTalkError: Error {
    case trackViewFailed
  }
}
