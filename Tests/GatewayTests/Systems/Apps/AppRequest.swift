import Foundation
import FoundationNetworking

/// Requests as the apps send them: URLSession, with a token.
enum AppRequest {
  struct Failure: Error, CustomStringConvertible {
    let status: Int
    let body: String

    var description: String { "\(status): \(body)" }
  }

  static func to(_ url: String, _ token: String?) -> URLRequest {
    guard let url = URL(string: url) else { preconditionFailure("no URL: \(url)") }
    var request = URLRequest(url: url, timeoutInterval: 60)
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    return request
  }

  /// The body of a success.
  static func run(_ request: URLRequest) async -> Result<Data, any Error> {
    do {
      let (data, response) = try await URLSession.shared.data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      guard (200...299).contains(status) else {
        return .failure(Failure(status: status, body: String(decoding: data, as: UTF8.self)))
      }
      return .success(data)
    } catch {
      return .failure(error)
    }
  }
}
