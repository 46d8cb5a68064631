import Engine
import Postgres
import TestSupport
import Testing

@testable import Strava

@Suite("Every statement of Strava") struct StatementTests {
  private static func statements() throws -> [Statement] {
    let now = Timestamp(microseconds: 0)
    let access = ReadAccess(athlete: 1, token: "t", expiresAt: now, at: now)
    let input = TokenRefreshJob.Input(
      athlete: 1, purpose: .refresh, generation: 1, attempt: nil, secret: "s", sealingKey: "k", at: now)
    let pair = TokenPair(accessToken: "a", refreshToken: "r", expiresAt: now, athleteID: 2)
    let tokens = SpooledTokens(pair, for: input, under: 1)
    let sealed = SealingJob.Sealed(kind: .refresh, athlete: 1, secret: Bytes([1]), key: "k")
    return [
      ImportRows.endRequests(at: now), ImportRows.requests([1]),
      ImportRows.listed(1, try #require(ActivityPage(Array("[]".utf8)))), ImportRows.unlisted(1),
      ImportRows.endFound(at: now), ImportRows.found([StreamsJob.Key(1, 2)]),
      ImportRows.keep(StreamsJob.Input(activity: 1, access: access), answer: nil), ImportRows.refuse(access),
      ImportRows.failed(.limit), TokenRows.connections([1]), TokenRows.generation(of: 1),
      TokenRows.keep(tokens, sealed: Bytes([1])), TokenRows.dateBack(tokens), TokenRows.refuse(input),
      TokenRows.revoked(input),
      TokenRows.answered, TokenRows.failed(input, ProviderFailure(.lost)), TokenRows.abandoned([1]),
      TokenRows.giveBack(lease: 1), SealingRows.secrets([SealingJob.Key("refresh", 1)]),
      SealingRows.write([sealed], key: "k"), StravaFigures.connections, StravaFigures.breaker,
      StravaFigures.calls("used"), StravaFigures.calls("allowed"),
    ]
  }

  @Test func `every statement of Strava fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements()) == [])
  }

  @Test func `each statement of Strava returns the columns that its decoder reads`() async throws {
    let now = Timestamp(microseconds: 0)
    let decoded = [
      DecodedStatement(ImportRows.requests([1])) { _ = try $0.decodeAll { row in try ListingJob.Input(row, at: now) } },
      DecodedStatement(ImportRows.found([StreamsJob.Key(1, 2)])) {
        _ = try $0.decodeAll { row in try StreamsJob.Input(row, at: now) }
      },
      DecodedStatement(TokenRows.connections([1])) { _ = try $0.decodeAll(as: TokenRows.Connection.init) },
      DecodedStatement(SealingRows.secrets([SealingJob.Key("refresh", 1)])) {
        _ = try $0.decodeAll(as: SealingRows.Secret.init)
      },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }
}
