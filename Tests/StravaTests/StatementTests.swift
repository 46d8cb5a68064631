import Engine
import Operations
import Postgres
import TestSupport
import Testing

@testable import Strava

@Suite("Every statement of Strava") struct StatementTests {
  private static func statements() throws -> [Statement] {
    let now = Timestamp(microseconds: 0)
    let access = ReadAccess(athlete: 1, token: "t", expiresAt: now)
    let listing = ReadJob.Listing(
      span: ActivitySpan(after: 1, before: 2), since: now, before: now, page: 1, began: now)
    let activity = try #require(FetchedActivity(Array(#"{"id": 7, "athlete": {"id": 1001}}"#.utf8), id: 7))
    let input = TokenRefreshJob.Input(
      athlete: 1, purpose: .refresh, generation: 1, attempt: nil, secret: "s", sealingKey: "k", at: now)
    let pair = TokenPair(accessToken: "a", refreshToken: "r", expiresAt: now, athleteID: 2)
    let tokens = SpooledTokens(pair, for: input, under: 1)
    let sealed = SealingJob.Sealed(kind: .refresh, athlete: 1, secret: Bytes([1]), key: "k")
    let range = InstantRange(from: now, to: Timestamp(microseconds: 1))
    return [
      CallTimeline.refreshes(range), CallTimeline.windows(range), ReadRows.begin([1]), ReadRows.requests([1]),
      ReadRows.listed(1, listing, try #require(ActivityPage(Array("[]".utf8)))), ReadRows.fetched(1, activity, at: now),
      ReadRows.fetched(1, nil, at: now), ReadRows.streamed(1, nil, at: now), ReadRows.end(1), ReadRows.refuse(access),
      ReadRows.failed(1, .limit, isOfPeer: true), TokenRows.connections([1]), TokenRows.generation(of: 1),
      TokenRows.keep(tokens, sealed: Bytes([1])), TokenRows.dateBack(tokens), TokenRows.refuse(input),
      TokenRows.revoked(input),
      TokenRows.answered, TokenRows.failed(input, ProviderFailure(.lost)), TokenRows.abandoned([1]),
      TokenRows.giveBack(lease: 1), SealingRows.secrets([SealingJob.Key("refresh", 1)]),
      SealingRows.write([sealed], key: "k"), HintPruning.statement, SubscriptionRows.shown,
      SubscriptionRows.isElsewhere,
      SubscriptionRows.begin(try CallbackURL("https://settled.example"), path: [1], verify: [2]),
      SubscriptionRows.confirm(path: Bytes([1]), id: 1), SubscriptionRows.end(path: Bytes([1])), SubscriptionRows.kept,
      StravaFigures.connections, StravaFigures.breaker, StravaChecks.unwatched,
      StravaFigures.calls("used"), StravaFigures.calls("allowed"),
    ]
  }

  @Test func `every statement of Strava fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements()) == [])
  }

  @Test func `each statement of Strava returns the columns that its decoder reads`() async throws {
    let now = Timestamp(microseconds: 0)
    let decoded = [
      DecodedStatement(ReadRows.requests([1])) { _ = try $0.decodeAll { row in try ReadJob.Input(row, at: now) } },
      DecodedStatement(TokenRows.connections([1])) { _ = try $0.decodeAll(as: TokenRows.Connection.init) },
      DecodedStatement(SealingRows.secrets([SealingJob.Key("refresh", 1)])) {
        _ = try $0.decodeAll(as: SealingRows.Secret.init)
      },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }
}
