import Foundation
import TestSupport
import Testing

/// The tokens of an answer.
struct Issued: Decodable {
  let accessToken, refreshToken: String
  let expiresAt, expiresIn: Int64

  /// Expects that there are some.
  init(_ answer: LoopbackAnswer, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(answer.status == 200, "\(answer.body)", sourceLocation: location)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Issued.self, from: Data(answer.body.utf8))
  }
}

/// The requests of a client.
extension FakeProvider {
  /// Noon of a day of UTC.
  static let noon: Int64 = 1_783_080_000
  static let hour: Int64 = 3600

  /// A provider that stands at noon, and an athlete who came with a code just now.
  static func connected() async throws -> (FakeProvider, Issued) {
    let provider = try await FakeProvider()
    try await provider.setClock(noon)
    return (provider, try Issued(await provider.exchange(provider.authorize(77))))
  }

  func exchange(_ code: String) async throws -> LoopbackAnswer {
    try await token("grant_type=authorization_code&code=\(code)")
  }

  func refresh(_ token: String) async throws -> LoopbackAnswer {
    try await self.token("grant_type=refresh_token&refresh_token=\(token)")
  }

  private func token(_ form: String) async throws -> LoopbackAnswer {
    try await client.call("/oauth/token", body: "client_id=\(clientId)&client_secret=\(clientSecret)&\(form)")
  }

  func list(_ accessToken: String, _ query: String = "") async throws -> LoopbackAnswer {
    try await client.call(
      "/api/v3/athlete/activities?\(query)", headers: ["Authorization": "Bearer \(accessToken)"])
  }
}
